/** The codes of faults. */
export type FaultCode =
  | 'archive_missing'
  | 'hasher_overloaded'
  | 'publishing_overloaded'
  | 'staging_unavailable'
  | 'storage_unavailable'
  | 'store_corrupt'
  | 'store_unavailable';

/** Several copies of this package may be installed: the mark is shared between them, a class would not be. */
const MARK: unique symbol = Symbol.for('@pinfold/core/fault');

/**
 * Something broke outside the caller's power. Thrown, with what caused it; an abort is never wrapped in one.
 *
 * @example
 * import { Fault } from '@pinfold/core';
 *
 * new Fault('store_unavailable', 'the database does not answer').retryable; // true
 */
export class Fault extends Error {
  readonly code: FaultCode;
  /** Whether the very same request may succeed later: what is broken in a store stays so, all else may pass. */
  readonly retryable: boolean;

  constructor(code: FaultCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'Fault';
    this.code = code;
    this.retryable = code !== 'store_corrupt';
    Object.defineProperty(this, MARK, {});
  }
}

/** Whether a caught value is a {@link Fault}, made by this copy of the package or another. */
export function isFault(error: unknown): error is Fault {
  return typeof error === 'object' && error !== null && MARK in error;
}

/** Whether something succeeded that a sweep, or time, does later where it fails. A mistake of the program is thrown. */
export function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    (error: unknown) => {
      if (!isFault(error)) throw error;
      return false;
    },
  );
}
