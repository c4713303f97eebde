import type { Duration, Instant } from '../domain/instant.ts';

/** The only source of time and of waiting in Pinfold. */
export interface Clock {
  /** @promise clock/now: an integer of milliseconds that does not lie before an earlier one by more than the host's own steps */
  now(): Instant;

  /**
   * @promise clock/sleep: it resolves no earlier than the duration
   * @promise clock/sleep-aborted: an aborted signal rejects with its reason, at once, and holds nothing
   */
  sleep(length: Duration, signal?: AbortSignal): Promise<void>;
}
