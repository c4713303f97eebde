/** The codes of faults. */
export type FaultCode =
  | 'archive_missing'
  | 'hasher_overloaded'
  | 'publishing_overloaded'
  | 'staging_unavailable'
  | 'storage_unavailable'
  | 'store_corrupt'
  | 'store_unavailable';

/** A global symbol, because several copies of this package may be installed, each with a class of its own. */
const MARK: unique symbol = Symbol.for('@pinfold/core/fault');

/**
 * Something broke that the caller cannot mend. It is thrown with its cause; it never wraps the reason of an abort.
 *
 * @example
 * import { Fault } from '@pinfold/core';
 *
 * new Fault('store_unavailable', 'the database does not answer').retryable; // true
 */
export class Fault extends Error {
  readonly code: FaultCode;
  /** Whether the same request may succeed later; not for corrupt data. */
  readonly retryable: boolean;

  constructor(code: FaultCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'Fault';
    this.code = code;
    this.retryable = code !== 'store_corrupt';
    Object.defineProperty(this, MARK, {});
  }
}

/** Whether a caught value is a {@link Fault}, of any copy of this package. */
export function isFault(error: unknown): error is Fault {
  return typeof error === 'object' && error !== null && MARK in error;
}

/** Resolves to false for a fault, and rejects for other errors: for work that a sweep can do later. */
export function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    (error: unknown) => {
      if (!isFault(error)) throw error;
      return false;
    },
  );
}
