import { after, type Clock, type Duration, duration, type Instant, seconds } from '@pinfold/core';
import { CommandFailure } from '../command-line/failures.ts';
import type { Wish } from './publication.ts';

/** What came of one try: done, or worth another one, at the earliest after so long. */
export type Try<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'again'; readonly after: Duration | undefined; readonly reason: Error };

/** The last reason, when a publication did not come about in all the time there was. It can be taken up again. */
export class GivenUp extends CommandFailure {
  constructor(reason: Error) {
    super(reason.message, { cause: reason });
    this.name = 'GivenUp';
  }
}

/** Longer than the lease of a node that died (60 s), and than a database takes to fail over, with a margin. */
const PATIENCE = seconds(150);
const FIRST_PAUSE = seconds(0.5);
/** Up to here pauses grow; a server may ask for a longer one. */
const LONGEST_OWN_PAUSE = seconds(8);
const LONGEST_PAUSE = seconds(60);

/**
 * Tries until it is done, or until two and a half minutes have passed since the first failure: with the same
 * Idempotency-Key a publication can be sent again without fear. Pauses grow from half a second, and are longer where
 * the server says so.
 *
 * @throws GivenUp when the time is over.
 */
export async function persist<Result>(
  clock: Clock,
  attempt: () => Promise<Try<Result>>,
  note: (reason: Error, pause: Duration) => void,
): Promise<Result> {
  let end: Instant | undefined;
  for (let growing = FIRST_PAUSE; ; growing = duration(Math.min(growing * 2, LONGEST_OWN_PAUSE))) {
    const outcome = await attempt();
    if (outcome.kind === 'done') return outcome.result;
    end ??= after(clock.now(), PATIENCE);
    if (clock.now() >= end) throw new GivenUp(outcome.reason);
    const pause = duration(Math.min(Math.max(outcome.after ?? 0, growing), LONGEST_PAUSE));
    note(outcome.reason, pause);
    await clock.sleep(pause);
  }
}

/** Says how to go on after all tries failed; the key is quoted for a POSIX shell where it has to be. */
export function resumption({ idempotencyKey }: Pick<Wish, 'idempotencyKey'>): string {
  return `given up, and it may have been published all the same: the same command with --idempotency-key ${quoted(idempotencyKey)} goes on from here and publishes once`;
}

function quoted(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
