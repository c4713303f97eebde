import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { type Files, nodeFiles } from '../src/files.ts';
import { systemError } from './failing-files.ts';

/** The maximum number of bytes that one read returns. */
const MAX_READ_BYTES = 65_521;

/** A file system with unusual but valid behavior: reads return less than requested, and folders list names in any order. */
export const unusualFiles: Files = {
  ...nodeFiles,
  open: async (path, flags, mode) => withShortReads(await open(path, flags, mode)),
  readdir: (async (path: string, options: { withFileTypes: true }) =>
    (await readdir(path, options)).reverse()) as typeof readdir,
};

function withShortReads(handle: FileHandle): FileHandle {
  const read = (bytes: Buffer, offset: number, length: number, position: number): Promise<unknown> =>
    handle.read(bytes, offset, Math.min(length, MAX_READ_BYTES), position);
  return replacing(handle, { read: read as FileHandle['read'] });
}

/** A file system whose server no longer answers: only the attributes of open folders (`stat` of `.`) are cached. */
export const lostFiles: Files = {
  ...Object.fromEntries(
    Object.keys(nodeFiles).map((name) => [
      name,
      async () => {
        throw systemError('EIO', name);
      },
    ]),
  ),
  stat: (async (path: string) => {
    if (basename(path) !== '.') throw systemError('EIO', 'stat');
    return await stat(path);
  }) as typeof stat,
} as Files;
