import { constants, openSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * Reads a file, or a named pipe until its writers close it. It opens a pipe without waiting for a writer: a thread that
 * waits would keep the process from ending at a signal.
 */
export async function readFileOrPipe(path: string): Promise<Uint8Array<ArrayBuffer>> {
  if (!(await stat(path)).isFIFO()) return new Uint8Array(await readFile(path));
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Uint8Array(await buffer(new Socket({ fd, readable: true, writable: false })));
}
