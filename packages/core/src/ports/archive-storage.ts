import type { ArchiveId } from '../domain/identity.ts';
import type { StagedArchive } from './staging.ts';

/** The most bytes of one {@link ArchiveStorage.read}. */
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
 * @promise archive-storage/unreachable: while the backend does not answer, every call rejects with the fault storage_unavailable and what caused it
 * @promise archive-storage/place-gone: where the backend answers, but the bucket or folder is gone, every call rejects with the fault storage_unavailable, the check as well
 * @promise archive-storage/leftovers: checks, and puts that were aborted or failed, leave nothing in the backend
 * @promise archive-storage/aborted-on-the-way: an abort on the way rejects with its reason, of any type, or comes too late, and the call is whole
 * @promise archive-storage/lets-go: of a call that has ended nothing is left: no listener on its signal, no open file
 */
export interface ArchiveStorage {
  /**
   * Begins work that a put needs, such as flushing the bytes to the disk. A publication calls it while it proves the archive,
   * and waits only for the put, which reports any failure. Absent if there is nothing to begin.
   * @promise archive-storage/put-prepared: an archive that was prepared, is being prepared or could not be prepared is put like any other
   */
  prepare?(archive: StagedArchive): Promise<void>;

  /**
   * Stores a staged archive, durably when it returns. It may consume the staged file.
   * @promise archive-storage/put-whole: the archive is there for every peer, byte by byte, when put returns
   * @promise archive-storage/put-atomic: while a put runs, or after it failed or was aborted, no part of the archive can be read or listed as if whole
   * @promise archive-storage/put-aborted: an aborted signal rejects with its reason
   * @promise archive-storage/put-many: many puts at once do not mix
   * @promise archive-storage/put-as-staged: a staged file that is gone, or not as long as it was, is the fault storage_unavailable, and nothing is stored
   * @promise archive-storage/put-again: what could not be stored while the backend did not answer can be stored when it does, from the same staged file
   */
  put(id: ArchiveId, archive: StagedArchive, signal?: AbortSignal): Promise<void>;

  /**
   * Reads `length` bytes from `from` on: 0 to {@link MAX_READ}, inside the archive.
   * @promise archive-storage/read-range: exactly the bytes asked for, at the beginning, in the middle, at the end, and none
   * @promise archive-storage/read-outside: a range that no archive can have is the caller's mistake, a TypeError; one that goes beyond the end is rejected, never answered short
   * @promise archive-storage/read-absent: an archive that is not there is undefined, and only that: anything else that fails is a fault
   * @promise archive-storage/read-many: many reads at once on one handle do not mix
   * @promise archive-storage/read-owned: bytes that were read are the caller's: nothing changes them later, they keep no more memory than themselves, and what is done to them changes nothing
   * @promise archive-storage/read-aborted: an aborted signal rejects with its reason
   */
  read(
    id: ArchiveId,
    from: number,
    length: number,
    signal?: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer> | undefined>;

  /** @promise archive-storage/size: the bytes of what was put; an archive that is not there is undefined, and only that */
  size(id: ArchiveId, signal?: AbortSignal): Promise<number | undefined>;

  /**
   * @promise archive-storage/delete-gone: a deleted archive is absent for every peer
   * @promise archive-storage/delete-while-read: what is read while it is deleted is right or absent, and other archives stay
   * @promise archive-storage/delete-aborted: an aborted signal rejects with its reason, and the archive stays
   * @promise archive-storage/delete-twice: deleting again, or what never was, succeeds
   */
  delete(id: ArchiveId, signal?: AbortSignal): Promise<void>;

  /**
   * Lists ids in ascending order after `after`, at most `limit`. Pages may be short.
   * @promise archive-storage/list-walk: pages after an id, up to an empty one, give every archive exactly once, in order, also when others are deleted on the way
   * @promise archive-storage/list-many: more than a thousand archives, hundreds of one millisecond, are each stored by themselves and listed, with any limit
   * @promise archive-storage/list-foreign: what is not ours is passed over, also where nothing else is
   * @promise archive-storage/list-aborted: an aborted signal rejects with its reason
   * @promise archive-storage/list-whole-only: a put under way or failed is not listed
   */
  list(after: ArchiveId | undefined, limit: number, signal?: AbortSignal): Promise<readonly ArchiveId[]>;

  /**
   * Resolves when archives can be stored and read. It is called often: its cost does not depend on what is stored.
   * @promise archive-storage/check: a working storage resolves; an aborted signal rejects with its reason
   * @promise archive-storage/check-leaves-nothing: a check leaves nothing where uploads lie, also when it fails
   */
  check(signal?: AbortSignal): Promise<void>;
}
