import { Fault } from '@pinfold/core';

const MEANS = {
  absent: 'the object store does not have the object',
  again: 'the object store does not answer as it should',
  cancelled: 'the request to the object store was cancelled',
  lost_race: 'the object store gave way to another request',
  nonsense: 'what answers is no object store',
  range: 'the object is shorter than it should be',
  refused: 'the object store refuses; look at credentials, region, endpoint and permissions',
  unsupported: 'the object store does not support this',
} as const;

/** Classifies a failed request by its status, else its code, else its name. */
export type S3Failure = keyof typeof MEANS | 'no_bucket';

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

/** The parts of an SDK error that say what happened; any of them may be missing. */
interface Signs {
  readonly status: number | undefined;
  readonly name: string;
  readonly code: string;
  readonly message: string;
}

function signsOf(error: unknown): Signs {
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
  const { status, name, code, message } = signsOf(error);
  // An answer that is no XML carries a status all the same, which then means nothing.
  if (error instanceof IncompleteError) return 'again';
  if (error instanceof NonsenseError || /XML parse error|Checksum mismatch/.test(message)) return 'nonsense';
  if (name === 'NoSuchBucket') return 'no_bucket';
  if (name === 'RequestTimeout') return 'again';
  const [ofStatus] = STATUSES.find(([, statuses]) => statuses.includes(status)) ?? [];
  if (ofStatus !== undefined) return ofStatus;
  if (name === 'AbortError') return 'cancelled';
  if (AGAIN_CODES.has(code) || AGAIN_NAMES.has(name)) return 'again';
  // Any other 4xx, and what fails before a request leaves: credentials, region, address, protocol.
  return 'refused';
}

/** The store answered, but not what was asked for. */
export class NonsenseError extends Error {
  override readonly name = 'NonsenseError';
}

/** The store or the network transferred only a part. */
export class IncompleteError extends Error {
  override readonly name = 'IncompleteError';
  readonly code = 'ECONNRESET';
}

/** The fault that a failed request is, in one line that names what an operator may change. */
export function faultOf(error: unknown, bucket: string): Fault {
  const failure = failureOf(error);
  const { status, name, code } = signsOf(error);
  const signs = [status, code === name ? '' : code, name].filter((sign) => sign !== undefined && sign !== '');
  const means = failure === 'no_bucket' ? `the bucket "${bucket}" does not exist` : MEANS[failure];
  return new Fault('storage_unavailable', `${means} (${signs.join(' ')})`, { cause: error });
}

/** The seconds that the store asks to wait before the next try, in milliseconds; 0 when it does not. */
export function retryAfter(error: unknown): number {
  const { $response } = (error ?? {}) as {
    readonly $response?: { readonly headers?: Record<string, string> };
  };
  const seconds = Number($response?.headers?.['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 0;
}
