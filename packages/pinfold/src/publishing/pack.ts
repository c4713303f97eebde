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

export async function packWhole(folder: string, options: PackFolderOptions): Promise<PackedPath> {
  try {
    return { filename: zipNameOf(folder), folder, ...(await packFolder(folder, options)) };
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
  beside: ReadonlyMap<string, Uint8Array> = new Map(),
): Promise<PackedPath> {
  const others = [...beside].map(([place, bytes]) => ({ path: place, bytes }));
  const packed = await packFiles([{ path: 'index.html', bytes: page }, ...others]);
  return { filename: `${parse(path).name}.zip`, ...packed };
}

/** Takes a ZIP as it is. Checks the name before it reads the file. */
export async function packFile(
  filename: string,
  read: () => Promise<ZipToSend['bytes']>,
): Promise<ZipToSend> {
  if (/\.zip$/i.test(filename)) return { filename, bytes: await read() };
  throw new UsageError('PATH must be a folder, a .zip or an .html');
}
