import type { Duration, Instant } from '../domain/instant.ts';

/** The only source of time and of waiting in Pinfold. */
export interface Clock {
  /** @promise clock/now: the time is an integer of milliseconds, and moves back only if the clock of the host does */
  now(): Instant;

  /**
   * @promise clock/sleep: a sleep resolves no earlier than after its duration
   * @promise clock/sleep-aborted: an aborted signal rejects immediately with its reason, and leaves no timer
   */
  sleep(length: Duration, signal?: AbortSignal): Promise<void>;
}
