import { writeSync } from 'node:fs';

/** The number of retries while nothing is read, and the wait before each, in milliseconds. */
const ATTEMPTS = 10;
const PAUSE = 100;

/** Writes texts one after the other, each whole, before it returns; gives up when they are not read or cannot be written. */
export function writeNow(descriptor: number, texts: readonly (string | Uint8Array)[]): void {
  try {
    for (const text of texts) writeWhole(descriptor, Buffer.from(text));
  } catch {
    // The reader has gone, the disk is full, or nothing was read in time: there is nowhere left to report it.
  }
}

function writeWhole(descriptor: number, text: Uint8Array): void {
  let left = ATTEMPTS;
  for (let from = 0; from < text.length; ) {
    try {
      from += writeSync(descriptor, text, from);
      left = ATTEMPTS;
    } catch (error) {
      left -= 1;
      if (left < 0 || !isFull(error as NodeJS.ErrnoException)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
    }
  }
}

/** Whether it may be taken later. */
export function isFull(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EAGAIN' || error.code === 'EBUSY';
}
