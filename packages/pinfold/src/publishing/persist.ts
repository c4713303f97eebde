import { after, type Clock, type Duration, duration, type Instant, seconds } from '@pinfold/core';
import { UnavailableError } from '../command-line/failures.ts';
import type { PublishRequest } from './publication.ts';

/** The outcome of one attempt: done, or to be repeated, after a pause if the server asks for one. */
export type Attempt<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'again'; readonly after: Duration | undefined; readonly reason: Error };

/** Longer than the lease of a node that died (60 s) and than the failover of a database, with a margin. */
const PATIENCE = seconds(150);
const FIRST_PAUSE = seconds(0.5);
/** The longest pause that grows by itself; a server may ask for a longer one. */
const LONGEST_OWN_PAUSE = seconds(8);
const LONGEST_PAUSE = seconds(60);

/**
 * Retries for two and a half minutes after the first failure: the same Idempotency-Key makes it safe to publish again.
 * Pauses grow from half a second, and are longer if the server asks for it.
 *
 * @throws UnavailableError when the time is over.
 */
export async function retryUntilDone<Result>(
  clock: Clock,
  attempt: () => Promise<Attempt<Result>>,
  note: (reason: Error, pause: Duration) => void,
): Promise<Result> {
  let end: Instant | undefined;
  for (let growing = FIRST_PAUSE; ; growing = duration(Math.min(growing * 2, LONGEST_OWN_PAUSE))) {
    const outcome = await attempt();
    if (outcome.kind === 'done') return outcome.result;
    end ??= after(clock.now(), PATIENCE);
    if (clock.now() >= end) throw new UnavailableError(outcome.reason.message, { cause: outcome.reason });
    const pause = duration(Math.min(Math.max(outcome.after ?? 0, growing), LONGEST_PAUSE));
    note(outcome.reason, pause);
    await clock.sleep(pause);
  }
}

/** How to continue after all attempts failed; quotes the key for a POSIX shell if necessary. */
export function resumeHint({ idempotencyKey }: Pick<PublishRequest, 'idempotencyKey'>): string {
  return `giving up: check the server and its URL, then repeat the command with --idempotency-key ${quoted(idempotencyKey)}, which publishes only once, even if an attempt succeeded`;
}

function quoted(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
