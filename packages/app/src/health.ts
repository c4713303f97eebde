import type { ArchiveStorage } from '@pinfold/core';
import type { Persistence } from '@pinfold/inversify';

/** What has to answer for the service to work. */
export interface HealthPorts {
  readonly persistence: Persistence;
  readonly archives: ArchiveStorage;
}

/** Whether everything answers now. */
export type Health = { readonly kind: 'ok' } | { readonly kind: 'unavailable'; readonly error: unknown };

/** The longest a check may take: an orchestrator's probe gives up sooner or later, too. */
const LONGEST_CHECK = 5_000;

/** Asks database and storage at once. Requests that come while they are asked share the answer. */
export class HealthCheck {
  readonly #ports: HealthPorts;
  #running: Promise<Health> | undefined;

  constructor(ports: HealthPorts) {
    this.#ports = ports;
  }

  check(): Promise<Health> {
    this.#running ??= this.#ask().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #ask(): Promise<Health> {
    const { persistence, archives } = this.#ports;
    const signal = AbortSignal.timeout(LONGEST_CHECK);
    const asked = [persistence.check(signal), archives.check(signal)];
    try {
      await Promise.race([Promise.all(asked), abortOf(signal)]);
      return { kind: 'ok' };
    } catch (error) {
      return { kind: 'unavailable', error };
    }
  }
}

/** Rejects when the time is over, for a check that does not look at its signal. */
function abortOf(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return promise;
}
