import { after, type Clock, duration, type Instant, isFault, seconds } from '@pinfold/core';
import { PUBLISH_RETRY_FOR } from '../api-client/retry-budget.ts';
import { UnavailableError } from '../command-line/failures.ts';
import type { PublishRequest } from './publications.ts';

export class RetryLater extends Error {
  readonly at: Instant;

  constructor(message: string, at: Instant) {
    super(message);
    this.at = at;
  }
}

const PATIENCE = duration(PUBLISH_RETRY_FOR);
const FIRST_PAUSE = seconds(0.5);
/** The longest pause that grows by itself; a server may ask for a longer one. */
const LONGEST_OWN_PAUSE = seconds(8);
const LONGEST_PAUSE = seconds(60);

/**
 * Retries for two and a half minutes after the first failure that may pass: the same Idempotency-Key makes it safe to
 * publish again. Pauses grow from half a second, and are longer if the service asks for it.
 *
 * @throws UnavailableError when the time is over.
 */
export async function retryUntilDone<Result>(
  clock: Clock,
  attempt: () => Promise<Result>,
  err: (line: string) => void,
): Promise<Result> {
  let end: Instant | undefined;
  for (let growing = FIRST_PAUSE; ; growing = duration(Math.min(growing * 2, LONGEST_OWN_PAUSE))) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof RetryLater || (isFault(error) && error.retryable))) throw error;
      const now = clock.now();
      end ??= after(now, PATIENCE);
      if (now >= end) throw new UnavailableError(error.message, { cause: error });
      const asked = error instanceof RetryLater ? error.at - now : 0;
      const pause = duration(Math.min(Math.max(asked, growing), LONGEST_PAUSE));
      err(`${error.message.replace(/\.$/, '')}; trying again in ${Math.ceil(pause / 1_000)} s`);
      await clock.sleep(pause);
    }
  }
}

/** How to continue after an attempt whose end is unknown; quotes the key for a POSIX shell if necessary. */
export function resumeHint(
  { idempotencyKey }: Pick<PublishRequest, 'idempotencyKey'>,
  what: 'giving up: check the server and its URL, then' | 'interrupted:',
): string {
  return `${what} repeat the command with --idempotency-key ${quoted(idempotencyKey)}, which publishes only once, even if an attempt succeeded`;
}

function quoted(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
