import type { RuleError } from './wire.ts';

/** The details of a failure. */
export type Failure = Pick<PinfoldError, 'code' | 'detail' | 'retryable'> &
  Partial<Pick<PinfoldError, 'status' | 'errors' | 'retryAfter' | 'requestId' | 'idempotencyKey' | 'cause'>>;

/**
 * A failed call: the API refused it, or did not answer.
 *
 * @example
 * import { type PinfoldClient, PinfoldError } from '@pinfold/client';
 *
 * declare const client: PinfoldClient;
 *
 * try {
 *   await client.get('0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20');
 * } catch (error) {
 *   if (!(error instanceof PinfoldError) || error.code !== 'not_found') throw error;
 * }
 */
export class PinfoldError extends Error {
  /** The code of the problem document, or `network_error`, `timeout` or `invalid_answer`. */
  readonly code: string;
  /** The status of the answer, if one was received. */
  readonly status: number | undefined;
  /** One sentence with advice. */
  readonly detail: string;
  /** The individual errors, if the API lists several. */
  readonly errors: readonly RuleError[];
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** Seconds to wait before a retry, if the server sent them. */
  readonly retryAfter: number | undefined;
  /** The id of the request in the server's log. */
  readonly requestId: string | undefined;
  /** The key that `publish` used: with it, the same publication can be continued. */
  readonly idempotencyKey: string | undefined;

  constructor(failure: Failure) {
    super(failure.detail, failure.cause === undefined ? undefined : { cause: failure.cause });
    this.name = 'PinfoldError';
    this.code = failure.code;
    this.status = failure.status;
    this.detail = failure.detail;
    this.errors = failure.errors ?? [];
    this.retryable = failure.retryable;
    this.retryAfter = failure.retryAfter;
    this.requestId = failure.requestId;
    this.idempotencyKey = failure.idempotencyKey;
  }
}
