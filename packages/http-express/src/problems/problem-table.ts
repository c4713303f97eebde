import type { FaultCode, RefusalCode } from '@pinfold/core';
import { englishOf, REFUSAL_TEXTS, type RefusalTextId } from '@pinfold/http/internal/texts';

/** The error codes that only HTTP requests have. */
type HttpCode =
  | 'archive_too_large'
  | 'idempotency_key_required'
  | 'internal_error'
  | 'invalid_form'
  | 'invalid_request'
  | 'invalid_update'
  | 'method_not_allowed'
  | 'rate_limited'
  | 'request_timeout'
  | 'unavailable'
  | 'unsupported_media_type';

export type ProblemCode = RefusalCode | FaultCode | HttpCode;

/** The codes in answers. */
export type WireCode =
  | Exclude<
      RefusalCode,
      'invalid_account' | 'invalid_cursor' | 'invalid_filename' | 'read_only' | 'refused_by_host'
    >
  | HttpCode;

export interface HttpProblem {
  readonly status: number;
  readonly code: WireCode;
  /** The kind of problem in a few words (RFC 9457, section 3.1.3). */
  readonly title: string;
  /** Advice, unless the refusal has more specific advice. */
  readonly detail: string;
  /** The suggestion, without its full stop: publishing adds what to do with the Idempotency-Key. */
  readonly advice: string;
  /** Advice about the Idempotency-Key of a publication with this answer. */
  readonly key: 'keep' | 'new';
}

const text = (id: RefusalTextId): string => englishOf(REFUSAL_TEXTS[id]);

/** All errors of the API by code. Retry with the same Idempotency-Key unless the row says otherwise. */
const problems: Readonly<Record<WireCode, Omit<HttpProblem, 'code' | 'key'> & { readonly key?: 'new' }>> = {
  account_blocked: {
    status: 403,
    title: 'The account is blocked',
    detail: text('account_blocked'),
    advice: 'Ask the operator to unblock the account, then send the request again',
  },
  archive_too_large: {
    status: 413,
    title: 'The archive is too large',
    detail: 'Make the ZIP smaller: GET /api/v1/limits gives the limit.',
    advice: 'Make the ZIP smaller and send it again',
  },
  cursor_expired: {
    status: 410,
    title: 'The feed no longer has the events after the cursor',
    detail: 'Events after the cursor were dropped, or the database was restored: begin at "oldest_cursor".',
    advice: 'Continue with "oldest_cursor" as after, and expect events that you have seen',
  },
  forbidden: {
    status: 403,
    title: 'The API key lacks the scope',
    detail:
      'Use an API key that has the scope this request needs: pins:read to read, pins:write to publish and change.',
    advice: 'Use an API key that has the missing scope and send the request again',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'The same publication is still running',
    detail: text('idempotency_in_progress'),
    advice: 'Wait for the seconds in Retry-After, then send the very same request again',
  },
  idempotency_key_required: {
    status: 400,
    title: 'The Idempotency-Key is missing',
    detail: 'Send an Idempotency-Key header with a new value for each publication.',
    advice: 'Send the request again',
    key: 'new',
  },
  idempotency_mismatch: {
    status: 409,
    title: 'The Idempotency-Key belongs to another publication',
    detail: text('idempotency_mismatch'),
    advice: 'Publish the changed content',
    key: 'new',
  },
  internal_error: {
    status: 500,
    title: 'The service failed',
    detail: text('internal_error'),
    advice: 'Send the very same request again later, and give the operator the request id if it fails again',
  },
  invalid_archive: {
    status: 422,
    title: 'The archive breaks the rules for sites',
    detail: 'Correct everything that "errors" lists.',
    advice: 'Correct the ZIP and send it again',
  },
  invalid_form: {
    status: 422,
    title: 'The form does not have the expected fields',
    detail: 'Send one file named "archive" and at most one text named "title", and nothing else.',
    advice: 'Correct the fields of the form and send it again',
  },
  invalid_idempotency_key: {
    status: 400,
    title: 'The Idempotency-Key cannot be used',
    detail: 'Send one Idempotency-Key of 1 to 255 printable ASCII characters that contains no secret.',
    advice: 'Send the request again',
    key: 'new',
  },
  invalid_name: {
    status: 422,
    title: 'The name cannot be used',
    detail: text('invalid_name'),
    advice: 'Choose another name and send the request again',
  },
  invalid_password: {
    status: 422,
    title: 'The password cannot be used',
    detail: 'Choose a password within the limits that GET /api/v1/limits gives, or null for none.',
    advice: 'Choose another password and send the request again',
  },
  invalid_request: {
    status: 400,
    title: 'The request cannot be understood',
    detail: 'Send the whole request in the form that the API document at /openapi.json describes.',
    advice: 'Correct the form of the request and send it again',
  },
  invalid_state: {
    status: 409,
    title: 'The state of the publication does not allow this',
    detail: 'Read the publication to see its state; nothing was changed.',
    advice: 'Read the publication; publish it again if it has ended, or unpin it first if it is pinned',
  },
  invalid_title: {
    status: 422,
    title: 'The title cannot be used',
    detail:
      'Choose a title within the limit that GET /api/v1/limits gives, without control characters, in UTF-8.',
    advice: 'Correct the title and send the request again',
  },
  invalid_update: {
    status: 422,
    title: 'The update is not exactly one change',
    detail: 'Send an object with the members that the API document describes.',
    advice: 'Send one change per request',
  },
  method_not_allowed: {
    status: 405,
    title: 'The method is not allowed here',
    detail: 'Use one of the methods that the Allow header lists.',
    advice: 'Use one of the methods in Allow',
  },
  not_found: {
    status: 404,
    title: 'There is nothing here',
    detail: text('not_found'),
    advice: 'Check the path, the id and the name, and that the API key belongs to the account that has them',
  },
  quota_exceeded: {
    status: 403,
    title: 'A quota of the account is used up',
    detail: 'Stop publications that are no longer needed, or ask the operator for a larger quota.',
    advice: 'Stop publications that are no longer needed and send the very same request again',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    detail: text('rate_limited'),
    advice: 'Wait for the seconds in Retry-After, then send the very same request again',
  },
  request_timeout: {
    status: 408,
    title: 'The upload took too long',
    detail: text('request_timeout'),
    advice: 'Send the very same request again',
  },
  unauthorized: {
    status: 401,
    title: 'The API key is missing or not valid',
    detail: 'Send a valid API key as "Authorization: Bearer <API_KEY>".',
    advice: 'Get a valid API key and send the request again',
  },
  unavailable: {
    status: 503,
    title: 'The service cannot do this now',
    detail: text('unavailable'),
    advice: 'Wait for the seconds in Retry-After, then send the very same request again',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The media type is not supported',
    detail: 'Publish as multipart/form-data with an archive of application/zip; change as application/json.',
    advice: 'Send the request again with the media type that the API document names',
  },
};

function problemOf(code: WireCode, detail: string = problems[code].detail): HttpProblem {
  return { key: 'keep', ...problems[code], code, detail };
}

/** The HTTP problem of every refusal, fault and HTTP error: a new code does not compile until it has one. */
export const problemTable: Readonly<Record<ProblemCode, HttpProblem>> = {
  ...(Object.fromEntries(Object.keys(problems).map((code) => [code, problemOf(code as WireCode)])) as Record<
    WireCode,
    HttpProblem
  >),
  archive_missing: problemOf('unavailable'),
  hasher_overloaded: problemOf('unavailable'),
  invalid_account: problemOf('invalid_state'),
  invalid_cursor: problemOf(
    'invalid_request',
    'Take the cursor from "next_cursor" of a page with the same parameters, or leave it out.',
  ),
  invalid_filename: problemOf('invalid_form'),
  publishing_overloaded: problemOf('unavailable'),
  read_only: problemOf('unavailable', text('read_only')),
  refused_by_host: problemOf('invalid_archive'),
  staging_unavailable: problemOf('unavailable'),
  storage_unavailable: problemOf('unavailable'),
  store_corrupt: problemOf('internal_error'),
  store_unavailable: problemOf('unavailable'),
};

export function isWireCode(code: string): code is WireCode {
  return Object.hasOwn(problems, code);
}
