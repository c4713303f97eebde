import type { ReceiveOutcome } from '@pinfold/core';
import { type Observer, raceSignal } from '@pinfold/core/adapter';

/**
 * Counts publications while they run, and uploads until their staged archive is discarded. At zero every publication has
 * ended, also those whose client has gone, and none has left a file.
 */
export class RunningPublications {
  readonly #running: Set<Promise<unknown>> = new Set();

  readonly observer: Observer = (call, method, port) =>
    port === 'staging' && method === 'receive' ? (...inputs) => this.#receive(() => call(...inputs)) : call;

  /** One from code has no upload before its limits are known, nor while it looks up its name. */
  counting<Inputs extends readonly unknown[], Outcome>(
    publish: (...inputs: Inputs) => Promise<Outcome>,
  ): (...inputs: Inputs) => Promise<Outcome> {
    return (...inputs) => this.#counted(publish(...inputs));
  }

  async ended(signal: AbortSignal): Promise<void> {
    while (this.#running.size > 0 && !signal.aborted) {
      await raceSignal(Promise.all(this.#running), signal).catch(() => undefined);
    }
  }

  async #receive(receive: () => unknown): Promise<ReceiveOutcome> {
    const { promise: discarded, resolve: end } = Promise.withResolvers<void>();
    void this.#counted(discarded);
    try {
      const outcome = (await receive()) as ReceiveOutcome;
      if (outcome.kind !== 'received') {
        end();
        return outcome;
      }
      // In place of the discard of the archive itself: the storage recognizes the archive that it was given.
      const discard = outcome.archive.discard.bind(outcome.archive);
      outcome.archive.discard = () => discard().finally(end);
      return outcome;
    } catch (error) {
      end();
      throw error;
    }
  }

  #counted<Outcome>(work: Promise<Outcome>): Promise<Outcome> {
    const counted = work.finally(() => this.#running.delete(counted));
    this.#running.add(counted);
    return counted;
  }
}
