import type { Sha256 } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import { succeeds } from '../fault.ts';

/** An upload received whole on this node. */
export interface StagedArchive {
  /** Reads all of its bytes, from the beginning at each call. Reading rejects if they are gone. */
  open(): AsyncIterable<Uint8Array>;
  /** Its path, if it is a file on this machine: a storage on the same disk can move the file without copying it. */
  readonly file?: string | undefined;
  /** Bytes received. */
  readonly size: number;
  readonly sha256: Sha256;
  /** Its bytes, if they are in memory: a small archive can be read without its file. */
  readonly bytes?: Uint8Array | undefined;
  /** Removes its file and bytes. Safe to call again, and after a `put` that consumed the file. */
  discard(): Promise<void>;
}

/** Discards an upload, and ignores faults so that the answer is not lost: the sweep removes what is left. */
export async function discardQuietly(archive: StagedArchive): Promise<void> {
  await succeeds(archive.discard());
}

/** The outcome of receiving an upload. */
export type ReceiveOutcome =
  | { readonly kind: 'received'; readonly archive: StagedArchive }
  | { readonly kind: 'too_large' };

/**
 * Receives uploads on this node, and hashes them. Small ones may stay in memory only.
 *
 * Faults: `staging_unavailable` (disk full, folder gone or read-only).
 *
 * @promise staging/unreachable: while the folder is unreachable, every call that needs it rejects with the fault staging_unavailable and its cause
 * @promise staging/lets-go: a call leaves nothing behind when it has ended: no listener on its signal, no open file
 */
export interface Staging {
  /**
   * @promise staging/receive-whole: a staged archive has the bytes, size and SHA-256 of the body, even of an empty one, each time it is opened; bytes in memory and in a file are the same
   * @promise staging/receive-limit: a body of exactly the limit is received; one byte more is too large, reading stops there and nothing is left
   * @promise staging/receive-failing: if the body fails, its error is thrown unchanged and nothing is left
   * @promise staging/receive-aborted: an aborted signal rejects with its reason and nothing is left
   * @promise staging/receive-many: concurrent bodies do not mix
   */
  receive(body: AsyncIterable<Uint8Array>, limit: number, signal?: AbortSignal): Promise<ReceiveOutcome>;

  /**
   * Removes uploads that were received before an instant and not discarded; returns how many.
   * @promise staging/discard: a discarded archive is removed, so that reading it is the fault staging_unavailable, and discarding again does nothing
   * @promise staging/sweep: older uploads are removed, and younger ones remain
   * @promise staging/sweep-foreign: foreign files are neither counted nor removed
   */
  sweep(receivedBefore: Instant): Promise<number>;

  /** @promise staging/count: exactly the uploads that a sweep would remove are counted, and nothing is removed */
  countAbandoned(receivedBefore: Instant): Promise<number>;

  /** @promise staging/check: a working staging resolves and leaves nothing; an aborted signal rejects with its reason */
  check(signal?: AbortSignal): Promise<void>;
}
