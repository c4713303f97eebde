import type { ArchiveId } from '../domain/identity.ts';
import type { StagedArchive } from './staging.ts';

/** The maximum number of bytes of one {@link ArchiveStorage.read}. */
export const MAX_READ: number = 1_048_576;

/**
 * Checks the range of an {@link ArchiveStorage.read}.
 *
 * @throws TypeError for an invalid range.
 */
export function checkReadRange(from: number, length: number): void {
  if (!Number.isSafeInteger(from) || from < 0 || !Number.isSafeInteger(length) || length < 0) {
    throw new TypeError('a range begins at 0 or later and has a whole number of bytes');
  }
  if (length > MAX_READ) throw new TypeError(`one read has at most ${MAX_READ} bytes`);
}

/**
 * Stores archives, each whole and under an id that is never used twice.
 *
 * Faults: `storage_unavailable`, with what caused it.
 *
 * @promise archive-storage/unreachable: while the backend does not answer, every call rejects with the fault storage_unavailable and its cause
 * @promise archive-storage/place-gone: if the backend answers, but the bucket or folder is gone, every call including the check rejects with the fault storage_unavailable
 * @promise archive-storage/leftovers: checks, and puts that fail or are aborted, leave nothing in the backend
 * @promise archive-storage/aborted-on-the-way: an abort during a call rejects with its reason, of any type, or comes too late and the call completes
 * @promise archive-storage/lets-go: a call leaves nothing behind when it has ended: no listener on its signal, no open file
 */
export interface ArchiveStorage {
  /**
   * Begins work that a put needs, such as flushing the bytes to the disk. A publication calls it while it proves the archive,
   * and waits only for the put, which reports any failure. Absent if there is nothing to begin.
   * @promise archive-storage/put-prepared: a put works the same after its archive was prepared, while it is being prepared, and after preparing it failed
   */
  prepare?(archive: StagedArchive): Promise<void>;

  /**
   * Stores a staged archive, durably when it returns. It may consume the staged file.
   * @promise archive-storage/put-whole: when put returns, every peer reads the archive byte by byte
   * @promise archive-storage/put-atomic: during a put, and after one that failed or was aborted, no part of the archive can be read or listed
   * @promise archive-storage/put-aborted: an aborted signal rejects with its reason
   * @promise archive-storage/put-many: concurrent puts do not mix
   * @promise archive-storage/put-as-staged: a put of a staged file that is gone, or has another length, is the fault storage_unavailable and stores nothing
   * @promise archive-storage/put-again: a put that failed while the backend did not answer succeeds later, from the same staged file
   */
  put(id: ArchiveId, archive: StagedArchive, signal?: AbortSignal): Promise<void>;

  /**
   * Reads `length` bytes from `from` on: 0 to {@link MAX_READ}, inside the archive.
   * @promise archive-storage/read-range: a read returns exactly the requested bytes, at the beginning, in the middle, at the end, and none
   * @promise archive-storage/read-outside: a range that no archive can have is the caller's mistake, a TypeError; the storage rejects a range that goes beyond the end, and never answers with fewer bytes
   * @promise archive-storage/read-absent: a missing archive is undefined; any other failure is a fault
   * @promise archive-storage/read-many: concurrent reads on one handle do not mix
   * @promise archive-storage/read-owned: a caller owns the bytes that it read: they never change later, hold no other memory, and may be changed without effect
   * @promise archive-storage/read-aborted: an aborted signal rejects with its reason
   */
  read(
    id: ArchiveId,
    from: number,
    length: number,
    signal?: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer> | undefined>;

  /** @promise archive-storage/size: the size is that of the stored archive; only a missing archive is undefined */
  size(id: ArchiveId, signal?: AbortSignal): Promise<number | undefined>;

  /**
   * @promise archive-storage/delete-gone: a deleted archive is missing for every peer
   * @promise archive-storage/delete-while-read: a read during a delete returns correct bytes or nothing, and other archives remain
   * @promise archive-storage/delete-aborted: an aborted signal rejects with its reason, and the archive remains
   * @promise archive-storage/delete-twice: deleting again, or deleting an unknown archive, succeeds
   */
  delete(id: ArchiveId, signal?: AbortSignal): Promise<void>;

  /**
   * Lists ids in ascending order after `after`, at most `limit`. Pages may be short.
   * @promise archive-storage/list-walk: pages after an id, up to an empty one, have every archive exactly once, in order, even if others are deleted meanwhile
   * @promise archive-storage/list-many: more than a thousand archives, hundreds of one millisecond, are each stored and listed, with any limit
   * @promise archive-storage/list-foreign: foreign objects are skipped, even if there are no others
   * @promise archive-storage/list-aborted: an aborted signal rejects with its reason
   * @promise archive-storage/list-whole-only: an unfinished or failed put is not listed
   */
  list(after: ArchiveId | undefined, limit: number, signal?: AbortSignal): Promise<readonly ArchiveId[]>;

  /**
   * Resolves when archives can be stored and read. It is called often: its cost does not depend on what is stored.
   * @promise archive-storage/check: a working storage resolves; an aborted signal rejects with its reason
   * @promise archive-storage/check-leaves-nothing: a check leaves nothing in the place of uploads, even if it fails
   */
  check(signal?: AbortSignal): Promise<void>;
}
