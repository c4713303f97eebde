import type { ReceiveOutcome } from '@pinfold/core';
import { type Observer, raceSignal } from '@pinfold/core/adapter';

/**
 * Counts running publications, and uploads until their staged archive is discarded. At zero, every publication has
 * ended, even if its client has left, and no file remains.
 */
export class RunningPublications {
  readonly #running: Set<Promise<unknown>> = new Set();

  readonly observer: Observer = (call, method, port) =>
    port === 'staging' && method === 'receive' ? (...inputs) => this.#receive(() => call(...inputs)) : call;

  /**
   * Also counts the call itself: a publication from code begins its upload only after it has looked up its limits and
   * name.
   */
  countCalls<Inputs extends readonly unknown[], Outcome>(
    publish: (...inputs: Inputs) => Promise<Outcome>,
  ): (...inputs: Inputs) => Promise<Outcome> {
    return (...inputs) => this.#track(publish(...inputs));
  }

  async ended(signal: AbortSignal): Promise<void> {
    while (this.#running.size > 0 && !signal.aborted) {
      await raceSignal(Promise.all(this.#running), signal).catch(() => undefined);
    }
  }

  async #receive(receive: () => unknown): Promise<ReceiveOutcome> {
    const { promise: discarded, resolve: end } = Promise.withResolvers<void>();
    void this.#track(discarded);
    try {
      const outcome = (await receive()) as ReceiveOutcome;
      if (outcome.kind !== 'received') {
        end();
        return outcome;
      }
      // Replaces `discard` on the archive itself, because the storage recognizes only the archive object that it created.
      const discard = outcome.archive.discard.bind(outcome.archive);
      outcome.archive.discard = () => discard().finally(end);
      return outcome;
    } catch (error) {
      end();
      throw error;
    }
  }

  #track<Outcome>(work: Promise<Outcome>): Promise<Outcome> {
    const tracked = work.finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
    return tracked;
  }
}
