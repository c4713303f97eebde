import { PinfoldClient, PinfoldError, type Retry } from '@pinfold/client';
import { CommandFailure, type FailureJson } from '../command-line/failures.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { release } from '../release.ts';
import { failureText, systemErrorCode } from './failure-text.ts';
import type { Server } from './server.ts';

/** Options of the client that a command changes. */
interface CallOptions {
  readonly retryFor?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
}

/** A person waits, and sees why. */
const RETRY_FOR = 10_000;
/** A name that does not resolve is mostly misspelt. */
const UNRESOLVED_FOR = 10_000;
const UNRESOLVED: readonly unknown[] = ['ENOTFOUND', 'EAI_AGAIN'];

/** The API went on failing in a way that may pass. */
export class ServerAway extends CommandFailure {
  override readonly name: string = 'ServerAway';
}

/**
 * Calls the API of a server elsewhere, and prints why it tries again.
 *
 * @throws CommandFailure with the reason in words.
 */
export async function callApi<Result>(
  { url, apiKey: key }: Server,
  { err }: Pick<Terminal, 'err'>,
  call: (client: PinfoldClient) => Promise<Result>,
  options: CallOptions = {},
): Promise<Result> {
  let unresolvedSince: number | undefined;
  const onRetry = ({ error, wait }: Retry): void => {
    if (UNRESOLVED.includes(systemErrorCode(error.cause))) {
      unresolvedSince ??= performance.now();
      if (performance.now() + wait > unresolvedSince + UNRESOLVED_FOR) throw error;
    }
    const reason = failureText(error, url).replace(/\.$/, '');
    err(`${reason}; trying again in ${Math.ceil(wait / 1_000)} s`);
  };
  const userAgent = `pinfold/${await release()}`;
  const client = new PinfoldClient({ url, key, userAgent, onRetry, retryFor: RETRY_FOR, ...options });
  try {
    return await call(client);
  } catch (error) {
    if (!(error instanceof PinfoldError)) throw error;
    const Failure = error.retryable ? ServerAway : CommandFailure;
    throw new Failure(failureText(error, url), { cause: error, json: jsonOf(error) });
  }
}

function jsonOf({ code, detail, errors, status, idempotencyKey }: PinfoldError): FailureJson {
  return {
    code: code === 'network_error' || code === 'timeout' ? 'unavailable' : code,
    detail,
    ...(errors.length > 0 && { errors }),
    status,
    idempotency_key: idempotencyKey,
  };
}
