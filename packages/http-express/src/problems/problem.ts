import { type Fault, type Instant, isFault, type Refusal } from '@pinfold/core';
import type { Answer } from '@pinfold/http/internal';
import { UnavailableError } from '@pinfold/http/internal/unavailable-error';
import type { ProblemBody, WireError } from '../wire/problem.ts';
import { problemDetails } from './problem-details.ts';
import { type HttpProblem, type ProblemCode, problemTable } from './problem-table.ts';

export interface ProblemDetails {
  /** Replaces the code's own title. */
  readonly title?: string;
  readonly detail?: string;
  /** More specific advice than the code's own; without a full stop. */
  readonly advice?: string;
  readonly errors?: readonly WireError[];
  readonly omitted?: number | undefined;
  readonly oldestCursor?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly retryAt?: Instant;
}

interface ProblemContext {
  readonly requestId: string;
  /** Whether the request is a publication, whose client holds an Idempotency-Key. */
  readonly publishing: boolean;
  /** Texts that replace those of the table. */
  readonly words?: Readonly<Partial<Record<ProblemCode, ProblemDetails>>> | undefined;
}

const MAX_ERRORS = 20;
/** `Retry-After` in seconds while the service is unavailable. */
const RETRY_AFTER = 5;
/** The longest `Retry-After`, in seconds, for a running publication, which mostly ends long before its lease. */
const MAX_WAIT = 5;

export interface HttpRefusal {
  readonly kind: 'refused';
  readonly code: ProblemCode;
  readonly details: ProblemDetails;
}

export type AnyRefusal = Refusal | HttpRefusal;

export function refuseRequest(code: ProblemCode, details: ProblemDetails = {}): HttpRefusal {
  return { kind: 'refused', code, details };
}

interface ProblemAnswer extends Answer {
  readonly json: ProblemBody;
}

/** The answer to a refused request. `now` is for `Retry-After`. */
export function answerRefusal(refusal: AnyRefusal, context: ProblemContext, now: Instant): ProblemAnswer {
  const problem: HttpProblem = problemTable[refusal.code];
  const details = detailsOf(refusal, context);
  return {
    status: problem.status,
    headers: {
      'Content-Type': 'application/problem+json',
      ...waitHeaders(details, problem, now),
      ...challenge(problem),
      ...details.headers,
    },
    json: problemBody(problem, details, context),
  };
}

function detailsOf(refusal: AnyRefusal, { words }: ProblemContext): ProblemDetails {
  return { ...words?.[refusal.code], ...('details' in refusal ? refusal.details : problemDetails(refusal)) };
}

/** The problem document of a refusal, for programs without HTTP, such as commands. */
export function problemOf(refusal: AnyRefusal, context: ProblemContext): ProblemBody {
  return problemBody(problemTable[refusal.code], detailsOf(refusal, context), context);
}

/** The answer to an exception: that of a fault, or 500. It does not reveal the error. */
export function answerThrown(error: unknown, context: ProblemContext, now: Instant): ProblemAnswer {
  if (error instanceof UnavailableError) {
    const headers = { 'Retry-After': String(error.seconds) };
    return answerRefusal(refuseRequest('unavailable', { headers }), context, now);
  }
  const code = isFault(error) ? (error as Fault).code : 'internal_error';
  return answerRefusal(refuseRequest(code in problemTable ? code : 'internal_error'), context, now);
}

function problemBody(
  problem: HttpProblem,
  {
    title = problem.title,
    errors = [],
    omitted = 0,
    advice = problem.advice,
    oldestCursor,
    detail = problem.detail,
  }: ProblemDetails,
  { requestId, publishing }: ProblemContext,
): ProblemBody {
  return {
    type: `urn:pinfold:problem:${problem.code}`,
    title,
    status: problem.status,
    detail,
    code: problem.code,
    instance: `urn:uuid:${requestId}`,
    retryable: isRetryable(problem),
    suggestion: suggestionOf({ ...problem, advice }, publishing),
    ...(errors.length > 0 ? { errors: errors.slice(0, MAX_ERRORS) } : {}),
    ...(problem.code === 'invalid_archive'
      ? { errors_omitted: omitted + Math.max(0, errors.length - MAX_ERRORS) }
      : {}),
    ...(oldestCursor === undefined ? {} : { oldest_cursor: oldestCursor }),
  };
}

export function isRetryable({ status, code }: Pick<HttpProblem, 'status' | 'code'>): boolean {
  return code === 'idempotency_in_progress' || status === 408 || status === 429 || status >= 500;
}

function suggestionOf({ advice, key }: HttpProblem, publishing: boolean): string {
  if (!publishing) return `${advice}.`;
  return key === 'keep'
    ? `${advice}, keeping the same Idempotency-Key.`
    : `${advice} with a new Idempotency-Key.`;
}

function waitHeaders(
  { retryAt }: ProblemDetails,
  { status, code }: HttpProblem,
  now: Instant,
): Readonly<Record<string, string>> {
  if (status === 503) return { 'Retry-After': String(RETRY_AFTER) };
  if (retryAt === undefined) return {};
  const wait = Math.max(1, Math.ceil((retryAt - now) / 1_000));
  return { 'Retry-After': String(code === 'idempotency_in_progress' ? Math.min(wait, MAX_WAIT) : wait) };
}

/** The challenge (RFC 6750, section 3), without an error code, so that it does not reveal the reason. */
function challenge({ status }: HttpProblem): Readonly<Record<string, string>> {
  return status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
}
