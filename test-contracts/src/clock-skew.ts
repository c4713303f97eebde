import { type Instant, instant } from '@pinfold/core';
import type { Subject } from './contract.ts';

/** Long before and long after any host's clock: who reads one instead of the request is wrong in one of them. */
const ERAS: readonly Instant[] = [instant(0), instant(Date.UTC(2150, 0, 1, 3, 4, 5, 678))];

/** Runs a check over a subject of its own in each era. */
export async function inEachEra<Port, S extends Subject<Port>>(
  another: () => Promise<S>,
  check: (subject: S, start: Instant) => Promise<void>,
): Promise<void> {
  for (const start of ERAS) await check(await another(), start);
}
