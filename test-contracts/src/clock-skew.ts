import { type Instant, instant } from '@pinfold/core';
import { type Subject, withPeer } from './contract.ts';

/** Long before and long after any host's clock: code that reads the host's clock fails in one of them. */
const ERAS: readonly Instant[] = [instant(0), instant(Date.UTC(2150, 0, 1, 3, 4, 5, 678))];

/** Runs a check over a new subject in each era. */
export function inEachEra<S extends Subject<unknown>>(
  check: (port: S['port'], peer: S['port'], start: Instant, subject: S) => Promise<void>,
): (subject: S, another: () => Promise<S>) => Promise<void> {
  return async (_, another) => {
    for (const start of ERAS) {
      const inEra = withPeer<S>((port, peer, subject) => check(port, peer, start, subject));
      await inEra(await another(), another);
    }
  };
}
