import type { Instant } from './domain/instant.ts';

/** Why a request was refused, as a closed list of names: what a caller did or met, never what broke. */
export type RefusalCode =
  | 'archive_too_large'
  | 'forbidden'
  | 'idempotency_in_progress'
  | 'idempotency_mismatch'
  | 'invalid_archive'
  | 'invalid_cursor'
  | 'invalid_filename'
  | 'invalid_idempotency_key'
  | 'invalid_password'
  | 'invalid_state'
  | 'invalid_title'
  | 'not_found';

/** One broken rule among several: `path` names the entry it concerns, `limit` and `actual` the figures. */
export interface Problem {
  readonly rule: string;
  readonly detail: string;
  readonly path?: string;
  readonly limit?: number;
  readonly actual?: number;
}

/** An expected "no", returned and never thrown. */
export interface Refusal<Code extends RefusalCode = RefusalCode> {
  readonly kind: 'refused';
  readonly code: Code;
  /** The rules that were broken, where there are several. */
  readonly errors?: readonly Problem[];
  /** When the same request may be worth repeating. */
  readonly retryAt?: Instant;
}

/** Makes a refusal. */
export function refuse<Code extends RefusalCode>(
  code: Code,
  more: Omit<Refusal, 'kind' | 'code'> = {},
): Refusal<Code> {
  return { kind: 'refused', code, ...more };
}
