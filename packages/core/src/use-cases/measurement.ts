import type { Duration, Instant } from '../domain/instant.ts';
import type { Clock } from '../ports/clock.ts';
import type { RefusalCode } from '../refusal.ts';
import type { CleanUpReport } from './clean-up-run.ts';

type TryOutcome = 'granted' | 'wrong' | 'limited' | 'busy' | 'not_protected' | 'expired' | 'unknown';

/** A measurement of a use case, as `observe` receives it. */
export type Measurement =
  | { readonly kind: 'stage'; readonly stage: 'prove' | 'store' | 'commit'; readonly took: Duration }
  | { readonly kind: 'publish'; readonly outcome: 'published' | 'replayed' | RefusalCode }
  | { readonly kind: 'try'; readonly outcome: TryOutcome }
  | { readonly kind: 'sessions_ended'; readonly reason: 'limit'; readonly count: number }
  | { readonly kind: 'sweep'; readonly report: CleanUpReport; readonly took: Duration };

/** Receives measurements during the work. It must neither throw nor block. */
export type Observe = (measurement: Measurement) => void;

/** The time since `start`; 0 if the clock was set back meanwhile. */
export function since(start: Instant, clock: Clock): Duration {
  return Math.max(0, clock.now() - start) as Duration;
}
