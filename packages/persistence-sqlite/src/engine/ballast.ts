import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, rmSync, writeSync } from 'node:fs';

/** What a cleanup writes before it has removed the first archives is a fraction of it, in bytes. */
export const RESERVE = 1_048_576;

/**
 * Room on the disk that is kept for whoever makes more: a file beside the database that nobody reads.
 *
 * It is never in the way: where it cannot be kept, or only in part, there is that much less to lend.
 */
export class Reserve {
  readonly #file: string;
  #isWhole = false;
  #isLent = false;

  constructor(database: string) {
    this.#file = `${database}-reserve`;
  }

  /**
   * Gives the room back for as long as the task runs, and then keeps what is left of it. Nothing else of this process
   * runs meanwhile, so nobody else takes it.
   */
  lend<Result>(task: () => Result): Result {
    if (this.#isLent) return task();
    this.#isLent = true;
    this.#isWhole = false;
    unlessRefused(() => rmSync(this.#file, { force: true }));
    try {
      return task();
    } finally {
      this.#isLent = false;
      this.keep();
    }
  }

  /** Sets aside what is missing, as far as there is room. */
  keep(): void {
    if (this.#isWhole || this.#isLent) return;
    unlessRefused(() => {
      const descriptor = openSync(this.#file, 'a', 0o600);
      try {
        this.#isWhole = fill(descriptor);
      } finally {
        closeSync(descriptor);
      }
    });
  }
}

/** Random bytes: a file system that compresses would set nothing aside for others. */
function fill(descriptor: number): boolean {
  let missing = RESERVE - fstatSync(descriptor).size;
  while (missing > 0) missing -= writeSync(descriptor, randomBytes(missing));
  return true;
}

function unlessRefused(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
  }
}
