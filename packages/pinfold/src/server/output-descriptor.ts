import { constants, fstatSync, openSync } from 'node:fs';

const STANDARD_OUTPUT = 1;
const BY_ITS_NAME = '/proc/self/fd/1';
const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;

let descriptor: number | undefined;

/**
 * The descriptor for standard output. Its writes return at once if the system allows that, also without a reader: a
 * blocked write holds a thread, and `process.exit` waits for that thread.
 */
export function outputDescriptor(): number {
  descriptor ??= open();
  return descriptor;
}

function open(): number {
  try {
    // Whether writes wait belongs to what all processes share that were started with it, and each that is started or
    // ends sets it anew. So a pipe or a terminal is opened once more, by this process alone.
    if (!fstatSync(STANDARD_OUTPUT).isFile()) return openSync(BY_ITS_NAME, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    // A socket, another user's pipe, or no Linux: Node's own stream lets writes come back from when it is first looked at.
    void process.stdout;
  }
  return STANDARD_OUTPUT;
}
