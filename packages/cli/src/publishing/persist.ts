import { type Clock, type Duration, duration, seconds } from '@pinfold/core';

/** What came of one try: done, or worth another one, at the earliest after so long. */
export type Try<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'again'; readonly after: Duration | undefined; readonly reason: Error };

const TRIES = 8;
const LONGEST_PAUSE = seconds(60);

/**
 * Tries until it is done: with the same Idempotency-Key a publication can be sent again without fear. Pauses grow
 * from half a second, unless the server says how long to wait.
 *
 * @throws the last reason when no try is left.
 */
export async function persist<Result>(
  clock: Clock,
  attempt: () => Promise<Try<Result>>,
  note: (reason: Error, pause: Duration) => void,
): Promise<Result> {
  for (let count = 1; ; count += 1) {
    const outcome = await attempt();
    if (outcome.kind === 'done') return outcome.result;
    if (count === TRIES) throw outcome.reason;
    const pause = outcome.after ?? seconds(2 ** (count - 2));
    const bounded = duration(Math.min(pause, LONGEST_PAUSE));
    note(outcome.reason, bounded);
    await clock.sleep(bounded);
  }
}
