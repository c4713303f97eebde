import { Fault } from '@pinfold/core';

const MEANINGS = {
  absent: 'the object store does not have the object',
  again: 'the object store does not answer as it should',
  cancelled: 'the request to the object store was cancelled',
  lost_race: 'the object store preferred a concurrent request',
  nonsense: 'the server is not an object store',
  range: 'the object is shorter than it should be',
  refused: 'the object store refuses; look at credentials, region, endpoint and permissions',
  unsupported: 'the object store does not support this',
} as const;

/** The kind of a failed request. */
export type S3Failure = keyof typeof MEANINGS | 'no_bucket';

/** Network errors after which the same request may succeed. */
const AGAIN_CODES: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);
const AGAIN_NAMES: ReadonlySet<string> = new Set(['RequestTimeout', 'TimeoutError', 'SlowDown']);

const STATUSES: readonly (readonly [failure: S3Failure, statuses: readonly unknown[]])[] = [
  ['refused', [301, 307, 401, 403]],
  ['absent', [404]],
  ['again', [408, 429, 500, 502, 503, 504]],
  ['lost_race', [409, 412]],
  ['range', [416]],
  ['unsupported', [501]],
];

/** The parts of an SDK error that classify it; any of them may be missing. */
interface ErrorDetails {
  readonly status: number | undefined;
  readonly name: string;
  readonly code: string;
  readonly message: string;
}

function detailsOf(error: unknown): ErrorDetails {
  const { name, code, message, $metadata } = (error ?? {}) as Readonly<Record<string, unknown>>;
  const status = ($metadata as { readonly httpStatusCode?: unknown } | undefined)?.httpStatusCode;
  return {
    status: typeof status === 'number' ? status : undefined,
    name: typeof name === 'string' ? name : '',
    code: typeof code === 'string' ? code : '',
    message: typeof message === 'string' ? message : '',
  };
}

export function failureOf(error: unknown): S3Failure {
  const { status, name, code, message } = detailsOf(error);
  // Before the status, which means nothing in an answer that is not XML.
  if (error instanceof IncompleteError) return 'again';
  if (error instanceof NonsenseError || /XML parse error|Checksum mismatch/.test(message)) return 'nonsense';
  if (name === 'NoSuchBucket') return 'no_bucket';
  if (name === 'RequestTimeout') return 'again';
  const [byStatus] = STATUSES.find(([, statuses]) => statuses.includes(status)) ?? [];
  if (byStatus !== undefined) return byStatus;
  if (name === 'AbortError') return 'cancelled';
  if (AGAIN_CODES.has(code) || AGAIN_NAMES.has(name)) return 'again';
  // Any other 4xx, or a failure before the request is sent: credentials, region, address, protocol.
  return 'refused';
}

/** The store answered something else than was requested. */
export class NonsenseError extends Error {
  override readonly name = 'NonsenseError';
}

/** The store or the network transferred only a part of the bytes. */
export class IncompleteError extends Error {
  override readonly name = 'IncompleteError';
  readonly code = 'ECONNRESET';
}

/** Converts a failed request to a fault, whose message tells the operator what may be wrong. */
export function faultOf(error: unknown, bucket: string): Fault {
  const failure = failureOf(error);
  const { status, name, code } = detailsOf(error);
  const details = [status, code === name ? '' : code, name].filter(
    (detail) => detail !== undefined && detail !== '',
  );
  const meaning = failure === 'no_bucket' ? `the bucket "${bucket}" does not exist` : MEANINGS[failure];
  return new Fault('storage_unavailable', `${meaning} (${details.join(' ')})`, { cause: error });
}

/** The value of Retry-After, in milliseconds; 0 if absent. */
export function retryAfter(error: unknown): number {
  const { $response } = (error ?? {}) as {
    readonly $response?: { readonly headers?: Record<string, string> };
  };
  const seconds = Number($response?.headers?.['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 0;
}
