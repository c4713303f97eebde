import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, rmSync, writeSync } from 'node:fs';
import { systemCodeOf } from '@pinfold/core/internal';

/** The size of the reserve, in bytes: many times as much as a cleanup writes before it has removed its first archives. */
export const RESERVE = 1_048_576;

/** Reserves disk space in a file next to the database, for changes that free more or end access; no error if it cannot. */
export class Reserve {
  readonly #file: string;
  #isFull = false;
  #isLent = false;

  constructor(database: string) {
    this.#file = `${database}-reserve`;
  }

  /** Frees the space while the task runs, synchronously so that nothing else uses it, then refills the reserve. */
  releaseDuring<Result>(task: () => Result): Result {
    if (this.#isLent) return task();
    this.#isLent = true;
    this.#isFull = false;
    unlessRefused(() => rmSync(this.#file, { force: true }));
    try {
      return task();
    } finally {
      this.#isLent = false;
      this.refill();
    }
  }

  /** Refills the reserve as far as there is room. */
  refill(): void {
    if (this.#isFull || this.#isLent) return;
    unlessRefused(() => {
      const descriptor = openSync(this.#file, 'a', 0o600);
      try {
        let missing = RESERVE - fstatSync(descriptor).size;
        // Random bytes, because a compressing file system would reserve no room for others.
        while (missing > 0) missing -= writeSync(descriptor, randomBytes(missing));
        this.#isFull = true;
      } finally {
        closeSync(descriptor);
      }
    });
  }
}

function unlessRefused(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
  }
}
