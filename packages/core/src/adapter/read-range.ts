import { MAX_READ } from '../ports/archive-storage.ts';

/**
 * Checks the range that an `ArchiveStorage` is asked for.
 *
 * @throws TypeError for a range that no read can have.
 */
export function checkReadRange(from: number, length: number): void {
  if (!Number.isSafeInteger(from) || from < 0 || !Number.isSafeInteger(length) || length < 0) {
    throw new TypeError('a range begins at 0 or later and has a whole number of bytes');
  }
  if (length > MAX_READ) throw new TypeError(`one read has at most ${MAX_READ} bytes`);
}
