import { PinfoldClient, PinfoldError, type Retry } from '@pinfold/client';
import { CommandFailure, type FailureJson, UnavailableError } from '../command-line/failures.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { release } from '../release.ts';
import { failureText, systemErrorCode } from './failure-text.ts';
import type { Server } from './logins.ts';
import { RetryBudget } from './retry-budget.ts';

export interface CallOptions {
  /** Ten seconds, in which a person waits and reads why, when absent. */
  readonly budget?: RetryBudget;
  readonly fetch?: typeof fetch | undefined;
}

const RETRY_FOR = 10_000;
/** A name that does not resolve is probably a typing error. */
const UNRESOLVED_FOR = 10_000;
const UNRESOLVED: readonly unknown[] = ['ENOTFOUND', 'EAI_AGAIN'];

/** A client that prints why it retries, and what turns its errors into failures in words. */
export async function clientOf(
  { url, apiKey: key, ...server }: Server,
  { err }: Pick<Terminal, 'err'>,
  { budget = new RetryBudget(RETRY_FOR), ...options }: CallOptions = {},
): Promise<{ readonly client: PinfoldClient; readonly failure: (error: unknown) => unknown }> {
  const retryFor = budget.left;
  let unresolvedSince: number | undefined;
  const onRetry = ({ error, wait }: Retry): void => {
    budget.failed();
    let patience = retryFor;
    if (UNRESOLVED.includes(systemErrorCode(error.cause))) {
      unresolvedSince ??= performance.now();
      if (performance.now() + wait > unresolvedSince + UNRESOLVED_FOR) throw error;
      patience = Math.min(retryFor, UNRESOLVED_FOR);
    }
    const reason = failureText(error, url).replace(/\.$/, '');
    err(
      `${reason}; trying again in ${Math.ceil(wait / 1_000)} s (for up to ${Math.ceil(patience / 1_000)} s)`,
    );
  };
  const userAgent = `pinfold/${await release()}`;
  const client = new PinfoldClient({ url, key, userAgent, onRetry, ...server, ...options, retryFor });
  const failure = (error: unknown): unknown => {
    if (!(error instanceof PinfoldError)) return error;
    const Failure = error.retryable ? UnavailableError : CommandFailure;
    const text = failureText(error, url);
    return new Failure(text, { cause: error, json: jsonOf(error, text) });
  };
  return { client, failure };
}

function jsonOf(
  { code, detail, errors, status, retryable, idempotencyKey }: PinfoldError,
  text: string,
): FailureJson {
  return {
    code: retryable && (code === 'network_error' || code === 'timeout') ? 'unavailable' : code,
    // The text for people has a line for each of them.
    detail: code === 'invalid_archive' ? detail : text,
    ...(errors.length > 0 && { errors }),
    status,
    idempotency_key: idempotencyKey,
  };
}
