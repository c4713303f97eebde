import { writeSync } from 'node:fs';

/** How often it is tried again while nobody takes anything, and how long each time is waited for, in milliseconds. */
const ATTEMPTS = 10;
const PAUSE = 100;

/** Writes texts one after the other, each whole, before it returns; gives up where nobody takes them, or they cannot be written. */
export function writeNow(descriptor: number, texts: readonly (string | Uint8Array)[]): void {
  try {
    for (const text of texts) writeWhole(descriptor, Buffer.from(text));
  } catch {
    // Whoever read has gone, the disk is full, or nothing was taken in time: there is nobody to tell.
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
