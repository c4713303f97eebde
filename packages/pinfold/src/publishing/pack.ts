import { parse } from 'node:path';
import { type PackFolderOptions, packFolder, zipNameOf } from '@pinfold/client/node';
import { packFiles } from '@pinfold/client/zip';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import type { PublishRequest } from './publications.ts';

export type ZipToSend = Pick<PublishRequest, 'filename' | 'bytes'>;

export interface PackedPath extends ZipToSend {
  readonly leftOut: readonly string[];
  /** The folder that was packed; absent for other files. */
  readonly folder?: string;
}

export async function packWholeFolder(folder: string, options: PackFolderOptions): Promise<PackedPath> {
  return { filename: zipNameOf(folder), folder, ...(await explainTooLarge(packFolder(folder, options))) };
}

/** Reports what the packer cannot put in a ZIP, such as too many files, as an archive that is too large. */
export async function explainTooLarge<Packed>(packing: Promise<Packed>): Promise<Packed> {
  try {
    return await packing;
  } catch (error) {
    if (error instanceof RangeError)
      throw new CommandFailure(error.message, { cause: error, code: 'archive_too_large' });
    throw error;
  }
}

export function isPage(filename: string): boolean {
  return /\.html?$/i.test(filename);
}

export async function packPage(
  path: string,
  page: Uint8Array,
  loadedFiles: ReadonlyMap<string, Uint8Array> = new Map(),
): Promise<PackedPath> {
  const others = [...loadedFiles].map(([name, bytes]) => ({ path: name, bytes }));
  const packed = await packFiles([{ path: 'index.html', bytes: page }, ...others]);
  return { filename: `${parse(path).name}.zip`, ...packed };
}

/** Reads a ZIP without packing. Checks the file name first, so that a wrong file is not read. */
export async function packFile(
  filename: string,
  read: () => Promise<ZipToSend['bytes']>,
): Promise<ZipToSend> {
  if (/\.zip$/i.test(filename)) return { filename, bytes: await read() };
  throw new UsageError('PATH must be a folder, a .zip or an .html');
}
