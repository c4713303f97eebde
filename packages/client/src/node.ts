import { isUtf8 } from 'node:buffer';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { PinfoldClient } from './client.ts';
import type { Published, PublishOptions } from './options.ts';
import { excludedPart, type FileToPack, type PackedFiles, type PackOptions, packFiles } from './zip.ts';

/** Far above every limit, so that a folder given by mistake does not fill the memory. */
const MAX_BYTES = 1_073_741_824;

/** Options of {@link packFolder}. */
export interface PackFolderOptions extends PackOptions {
  /** Reads a file, for programs that check each file that they open. */
  readonly read?: ((file: string) => Promise<Uint8Array>) | undefined;
}

/**
 * Packs a folder like `packFiles`. Leaves out and lists symbolic links and special files.
 *
 * @throws RangeError if the folder has more than 1 GiB, or a name that is not UTF-8.
 * @example
 * import { packFolder } from '@pinfold/client/node';
 *
 * declare const folder: string;
 *
 * const { bytes, leftOut } = await packFolder(folder);
 */
export async function packFolder(
  path: string,
  { read = readFile, ...options }: PackFolderOptions = {},
): Promise<PackedFiles> {
  const files: FileToPack[] = [];
  const ignored: string[] = [];
  let total = 0;
  const readBounded = async (file: string): Promise<Uint8Array> => {
    // Before it is read, since up to 16 files are read at the same time.
    const { size } = await stat(file);
    total += size;
    const tooLarge = size > MAX_BYTES ? file : 'the folder';
    if (total > MAX_BYTES)
      throw new RangeError(`${tooLarge} has more than 1 GiB; is the folder the right one?`);
    return read(file);
  };
  const walk = async (folder: string, prefix: string): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.name.includes('\ufffd')) await checkNames(folder, prefix);
      const name = `${prefix}${entry.name}${entry.isDirectory() ? '/' : ''}`;
      const entryPath = join(folder, entry.name);
      if (entry.isFile()) files.push({ path: name, bytes: () => readBounded(entryPath) });
      else if (!entry.isDirectory()) ignored.push(name);
      else if (excludedPart(name, options) === undefined) await walk(entryPath, name);
      // The packer leaves it out, and decides whether to list it.
      else files.push({ path: name, bytes: new Uint8Array() });
    }
  };
  await walk(resolve(path), '');
  const { bytes, leftOut } = await packFiles(files, options);
  return { bytes, leftOut: [...ignored, ...leftOut].sort() };
}

/** Throws for names that are not UTF-8: Node replaces their bytes with U+FFFD, so the file would not be found. */
async function checkNames(folder: string, prefix: string): Promise<void> {
  for (const name of await readdir(folder, { encoding: 'buffer' })) {
    if (!isUtf8(name)) throw new RangeError(`${prefix}${name} is not named in UTF-8: rename it`);
  }
}

/**
 * Packs and publishes a folder. Default of `filename`: the name of the folder.
 *
 * @example
 * import type { PinfoldClient } from '@pinfold/client';
 * import { publishFolder } from '@pinfold/client/node';
 *
 * declare const client: PinfoldClient;
 *
 * const { pin, leftOut } = await publishFolder(client, 'dist', { title: 'Release 42' });
 */
export async function publishFolder(
  client: PinfoldClient,
  path: string,
  { dotFiles, ...options }: PublishOptions & PackOptions = {},
): Promise<Published & Pick<PackedFiles, 'leftOut'>> {
  const { bytes, leftOut } = await packFolder(path, { dotFiles });
  const published = await client.publish(bytes, { filename: zipNameOf(path), ...options });
  return { ...published, leftOut };
}

/**
 * Returns the file name for a folder's ZIP.
 *
 * @example
 * import { zipNameOf } from '@pinfold/client/node';
 *
 * zipNameOf('work/dist'); // 'dist.zip'
 */
export function zipNameOf(folder: string): string {
  return `${basename(resolve(folder)) || 'site'}.zip`;
}
