import type { ReceiveOutcome, StagedArchive, Staging } from '@pinfold/core';

/**
 * Knows which uploads are still in somebody's hands. What is not received whole is removed, and every staged archive is
 * discarded in the end: so when none is left, every publication has come to its end, also those whose client has gone,
 * and no file of theirs is there.
 */
export class RunningPublications {
  readonly #waiting: Set<() => void> = new Set();
  #running = 0;

  /** The staging, with what it receives counted. */
  counting(staging: Staging): Staging {
    return {
      receive: (...args) => this.#receive(staging, ...args),
      sweep: (receivedBefore) => staging.sweep(receivedBefore),
      countAbandoned: (receivedBefore) => staging.countAbandoned(receivedBefore),
      check: (signal) => staging.check(signal),
    };
  }

  /** Resolves when no publication runs, or when the signal aborts. */
  async ended(signal: AbortSignal): Promise<void> {
    if (this.#running === 0 || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise;
  }

  async #receive(staging: Staging, ...args: Parameters<Staging['receive']>): Promise<ReceiveOutcome> {
    this.#running += 1;
    let outcome: ReceiveOutcome | undefined;
    try {
      outcome = await staging.receive(...args);
    } finally {
      if (outcome?.kind !== 'received') this.#end();
    }
    return outcome.kind === 'received' ? { ...outcome, archive: this.#ending(outcome.archive) } : outcome;
  }

  #ending(archive: StagedArchive): StagedArchive {
    let discarded = false;
    return {
      file: archive.file,
      size: archive.size,
      sha256: archive.sha256,
      discard: async () => {
        try {
          await archive.discard();
        } finally {
          if (!discarded) this.#end();
          discarded = true;
        }
      },
    };
  }

  #end(): void {
    this.#running -= 1;
    if (this.#running > 0) return;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
