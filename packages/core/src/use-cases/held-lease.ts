import { sleepUnlessAborted } from '../adapter/sleep-unless-aborted.ts';
import { after, duration } from '../domain/instant.ts';
import type { Limits } from '../domain/limits.ts';
import { isFault } from '../fault.ts';
import type { Clock } from '../ports/clock.ts';
import type { Lease, RoleStore } from '../ports/role-store.ts';

export const LEASE_LOST: unique symbol = Symbol();

/**
 * Runs `work`, renewing the lease at a third of its length. When the lease is lost, the signal given to `work` aborts
 * with {@link LEASE_LOST}. A store out of reach for a renewal does not end the work: the commit decides by the token.
 */
export async function holdLease<Result>(
  roles: RoleStore,
  clock: Clock,
  lease: Lease,
  limits: Pick<Limits, 'lease'>,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const working = new AbortController();
  const done = new AbortController();
  const renewing = renewUntilDone();
  renewing.catch((error: unknown) => working.abort(error));
  try {
    return await work(working.signal);
  } finally {
    // Without a reason it would make an error with its stack.
    done.abort(null);
    await renewing;
  }

  async function renewUntilDone(): Promise<void> {
    const pause = duration(Math.floor(limits.lease / 3));
    while (await sleepUnlessAborted(clock, pause, done.signal)) {
      const outcome = await roles.renew(lease, after(clock.now(), limits.lease)).catch((error: unknown) => {
        if (!isFault(error) || !error.retryable) throw error;
      });
      if (outcome?.kind !== 'lost') continue;
      working.abort(LEASE_LOST);
      return;
    }
  }
}
