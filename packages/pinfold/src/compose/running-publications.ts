import type { ReceiveOutcome, StagedArchive } from '@pinfold/core';
import type { Call, Observer } from '@pinfold/core/adapter';

/**
 * Counts publications while they run, and uploads until their staged archive is discarded. At zero every publication has
 * ended, also those whose client has gone, and none has left a file.
 */
export class RunningPublications {
  readonly #waiting: Set<() => void> = new Set();
  #running = 0;

  readonly observer: Observer = (call, method, port) =>
    port === 'staging' && method === 'receive' ? (...inputs) => this.#receive(call, inputs) : call;

  /** One from code has no upload before its limits are known, nor while it looks up its name. */
  counting<Inputs extends readonly unknown[], Outcome>(
    publish: (...inputs: Inputs) => Promise<Outcome>,
  ): (...inputs: Inputs) => Promise<Outcome> {
    return async (...inputs) => {
      this.#running += 1;
      try {
        return await publish(...inputs);
      } finally {
        this.#end();
      }
    };
  }

  async ended(signal: AbortSignal): Promise<void> {
    if (this.#running === 0 || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise;
  }

  async #receive(receive: Call, inputs: readonly unknown[]): Promise<ReceiveOutcome> {
    this.#running += 1;
    let outcome: ReceiveOutcome | undefined;
    try {
      outcome = (await receive(...inputs)) as ReceiveOutcome;
    } finally {
      if (outcome?.kind !== 'received') this.#end();
    }
    if (outcome.kind === 'received') this.#countUntilDiscarded(outcome.archive);
    return outcome;
  }

  /** Replaces the discard of the archive itself: the storage recognizes the archive that it was given. */
  #countUntilDiscarded(archive: StagedArchive): void {
    const discard = archive.discard.bind(archive);
    let discarded = false;
    archive.discard = async () => {
      try {
        await discard();
      } finally {
        if (!discarded) this.#end();
        discarded = true;
      }
    };
  }

  #end(): void {
    this.#running -= 1;
    if (this.#running > 0) return;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
