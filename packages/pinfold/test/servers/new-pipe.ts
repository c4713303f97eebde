import { execFileSync } from 'node:child_process';
import { constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from './new-folder.ts';

/** Both ends of a pipe, like a shell's; for child processes, Node itself creates sockets. */
export interface Pipe {
  readonly read: number;
  readonly write: number;
}

export function newPipe(): Pipe {
  const path = join(newFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { read, write: openSync(path, constants.O_WRONLY) };
}
