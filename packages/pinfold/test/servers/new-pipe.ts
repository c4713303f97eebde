import { execFileSync } from 'node:child_process';
import { constants, openSync } from 'node:fs';
import { join } from 'node:path';

/** Both ends of a pipe, as a shell makes them; what Node makes for a process that it starts are sockets. */
export interface Pipe {
  readonly read: number;
  readonly write: number;
}

/** @param folder keeps its name. */
export function newPipe(folder: string): Pipe {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { read, write: openSync(path, constants.O_WRONLY) };
}
