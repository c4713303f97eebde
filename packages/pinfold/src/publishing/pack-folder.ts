import { readdir, readFile } from 'node:fs/promises';
import { basename, join, parse, resolve } from 'node:path';
import { forbiddenSegment, isSystemEntry } from '@pinfold/core/adapter';
import { type Zippable, zipSync } from 'fflate';
import { CommandFailure } from '../command-line/failures.ts';

/** A folder as the ZIP it is published as. */
export interface PackedFolder {
  readonly filename: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Paths that are no part of a site, folders with `/` at their end. */
  readonly leftOut: readonly string[];
}

/** Far above every limit of a site: it only keeps a folder given by mistake from filling the memory. */
const MOST_BYTES = 1_073_741_824;

/** One instant for every file: the same folder is the same ZIP, so that an Idempotency-Key can be used again. */
const MODIFIED = new Date(2000, 0, 1);

interface Walk {
  readonly files: Map<string, Uint8Array>;
  readonly leftOut: string[];
  bytes: number;
}

/**
 * Packs a folder in memory, leaving out what no site may carry: the forbidden names, links and what is neither file nor
 * folder. What operating systems add goes without a word.
 */
export async function packFolder(folder: string): Promise<PackedFolder> {
  const walk: Walk = { files: new Map(), leftOut: [], bytes: 0 };
  await walkFolder(resolve(folder), '', walk);
  const files: Zippable = {};
  for (const path of [...walk.files.keys()].sort()) files[path] = walk.files.get(path) ?? new Uint8Array();
  return {
    filename: `${basename(resolve(folder)) || 'site'}.zip`,
    bytes: zipped(files),
    leftOut: walk.leftOut.sort(),
  };
}

/**
 * Packs a page as the only one of its site.
 *
 * @param beside files that it shows, by their paths.
 */
export function packPage(
  filename: string,
  page: Uint8Array,
  beside: ReadonlyMap<string, Uint8Array> = new Map(),
): Pick<PackedFolder, 'filename' | 'bytes'> {
  const files: Zippable = { 'index.html': page };
  for (const [path, bytes] of [...beside].sort(([a], [b]) => (a < b ? -1 : 1))) files[path] = bytes;
  return { filename: `${parse(filename).name}.zip`, bytes: zipped(files) };
}

function zipped(files: Zippable): Uint8Array<ArrayBuffer> {
  return new Uint8Array(zipSync(files, { level: 6, mtime: MODIFIED }));
}

async function walkFolder(folder: string, prefix: string, walk: Walk): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = prefix + entry.name;
    if (isSystemEntry(path)) continue;
    if (forbiddenSegment(entry.name) !== undefined || !(entry.isFile() || entry.isDirectory())) {
      walk.leftOut.push(entry.isDirectory() ? `${path}/` : path);
    } else if (entry.isDirectory()) {
      await walkFolder(join(folder, entry.name), `${path}/`, walk);
    } else {
      const bytes = await readFile(join(folder, entry.name));
      walk.bytes += bytes.byteLength;
      if (walk.bytes > MOST_BYTES)
        throw new CommandFailure('the folder has more than 1 GiB; is it the right one?');
      walk.files.set(path, bytes);
    }
  }
}
