import { PinfoldClient, PinfoldError, type Retry } from '@pinfold/client';
import { CommandFailure, UnavailableError } from '../command-line/failures.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { release } from '../release.ts';
import { failureText, systemErrorCode } from './failure-text.ts';
import type { Server } from './logins.ts';
import type { RetryBudget } from './retry-budget.ts';
import { watchArchive } from './watched-file.ts';

/** How long a call is tried again without a budget: a person waits, and reads why. */
const RETRY_FOR = 10_000;
/** A name that does not resolve is probably a typing error. */
const UNRESOLVED_FOR = 10_000;
const UNRESOLVED: readonly unknown[] = ['ENOTFOUND', 'EAI_AGAIN'];
/** Beside 5xx, statuses of a server that may answer otherwise soon. */
const LATER: readonly number[] = [408, 429];

/**
 * A client that prints why it retries. Its errors become failures in words by {@link failureOf}.
 *
 * @param budget what all its calls share; with it, a terminal shows how much of an archive was sent.
 */
export async function clientOf(
  { url, apiKey: key, fetch: given = fetch }: Server,
  { err, progress }: Pick<Terminal, 'err' | 'progress'>,
  budget?: RetryBudget,
): Promise<PinfoldClient> {
  let unresolvedSince: number | undefined;
  const onRetry = ({ error, wait }: Retry): void => {
    budget?.failed();
    if (budget !== undefined && wait > budget.left) throw error;
    let patience = budget?.atFailure ?? RETRY_FOR;
    if (UNRESOLVED.includes(systemErrorCode(error.cause))) {
      unresolvedSince ??= performance.now();
      if (performance.now() + wait > unresolvedSince + UNRESOLVED_FOR) throw error;
      patience = Math.min(patience, UNRESOLVED_FOR);
    }
    const reason = failureText(error, url).replace(/\.$/, '');
    err(
      `${reason}; trying again in ${Math.ceil(wait / 1_000)} s (for up to ${Math.ceil(patience / 1_000)} s)`,
    );
  };
  const send: typeof fetch = async (address, init) => {
    if (budget !== undefined && progress !== undefined && init?.body instanceof FormData) {
      await watchArchive(init.body, progress);
    }
    const answer = await given(address, init);
    // An answer ends a failure, also one that refuses.
    if (answer.status < 500 && !LATER.includes(answer.status)) {
      budget?.succeeded();
      unresolvedSince = undefined;
    }
    return answer;
  };
  const retryFor = budget?.left ?? RETRY_FOR;
  return new PinfoldClient({
    url,
    key,
    userAgent: `pinfold/${await release()}`,
    onRetry,
    fetch: send,
    retryFor,
  });
}

/** An error of a client as a failure in words; any other error as it is. */
export function failureOf(error: unknown, { url }: Server): unknown {
  if (!(error instanceof PinfoldError)) return error;
  const { code, detail, errors, status, retryable, idempotencyKey } = error;
  const Failure = retryable ? UnavailableError : CommandFailure;
  const text = failureText(error, url);
  const json = {
    code: retryable && (code === 'network_error' || code === 'timeout') ? 'unavailable' : code,
    // The text for people has a line for each of them.
    detail: code === 'invalid_archive' ? detail : text,
    ...(errors.length > 0 && { errors }),
    status,
    idempotency_key: idempotencyKey,
  };
  return new Failure(text, { cause: error, json });
}
