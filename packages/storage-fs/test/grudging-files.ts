import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Files, nodeFiles } from '../src/files.ts';
import { systemError } from './failing-files.ts';

/** The maximum of bytes that one read returns. */
const GIVEN = 65_521;

/** A file system with unusual but valid behavior: reads return less than requested, and folders list names in any order. */
export const grudgingFiles: Files = {
  ...nodeFiles,
  open: async (path, flags, mode) => little(await open(path, flags, mode)),
  readdir: (async (path: string, options: { withFileTypes: true }) =>
    (await readdir(path, options)).reverse()) as typeof readdir,
};

function little(handle: FileHandle): FileHandle {
  const read = (bytes: Buffer, offset: number, length: number, position: number): Promise<unknown> =>
    handle.read(bytes, offset, Math.min(length, GIVEN), position);
  return new Proxy(handle, {
    get: (target, member) => {
      if (member === 'read') return read;
      const value: unknown = Reflect.get(target, member, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** A file system that has lost everything except the folders that were read before, like that of a lost server. */
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
