import type { ReceiveOutcome } from '@pinfold/core';
import { type Observer, raceSignal } from '@pinfold/core/adapter';

/**
 * Counts publications while they run, and uploads until their staged archive is discarded. At zero every publication has
 * ended, also those whose client has gone, and none has left a file.
 */
export class RunningPublications {
  readonly #running: Set<Promise<void>> = new Set();

  readonly observer: Observer = (call, method, port) =>
    port === 'staging' && method === 'receive'
      ? (...inputs) => this.#receive(async () => (await call(...inputs)) as ReceiveOutcome)
      : call;

  /** One from code has no upload before its limits are known, nor while it looks up its name. */
  counting<Inputs extends readonly unknown[], Outcome>(
    publish: (...inputs: Inputs) => Promise<Outcome>,
  ): (...inputs: Inputs) => Promise<Outcome> {
    return (...inputs) => {
      const end = this.#begin();
      return publish(...inputs).finally(end);
    };
  }

  async ended(signal: AbortSignal): Promise<void> {
    while (this.#running.size > 0 && !signal.aborted) {
      await raceSignal(Promise.all(this.#running), signal).catch(() => undefined);
    }
  }

  async #receive(receive: () => Promise<ReceiveOutcome>): Promise<ReceiveOutcome> {
    let end: (() => void) | undefined = this.#begin();
    try {
      const outcome = await receive();
      if (outcome.kind !== 'received') return outcome;
      // In place of the discard of the archive itself: the storage recognizes the archive that it was given.
      const discard = outcome.archive.discard.bind(outcome.archive);
      outcome.archive.discard = () => discard().finally(ended);
      const ended = end;
      end = undefined;
      return outcome;
    } finally {
      end?.();
    }
  }

  #begin(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#running.add(promise);
    return () => {
      this.#running.delete(promise);
      resolve();
    };
  }
}
