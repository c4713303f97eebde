import { isFault } from '@pinfold/core';
import type { Observer } from '@pinfold/core/adapter';
import type { Figures, Histogram, Series, SeriesSet } from './registry.ts';

/** Measures the calls of stores. */
export class StoreFigures {
  readonly #seconds: SeriesSet<Histogram>;
  readonly #errors: SeriesSet<Series>;

  constructor(figures: Figures) {
    this.#seconds = figures.histogram({
      name: 'pinfold_store_seconds',
      help: 'How long the calls of the database and the storage took.',
      labels: ['store', 'operation'],
    });
    this.#errors = figures.counter({
      name: 'pinfold_store_errors_total',
      help: 'Calls of the database and the storage that failed.',
      labels: ['store', 'operation', 'code'],
    });
  }

  readonly observer: Observer = (call, operation, store) => {
    if (store === 'inspector') return call;
    // Made by the first call: an unused operation has no figures.
    let seconds: Histogram | undefined;
    const measured = (begun: number): void => {
      seconds ??= this.#seconds.at(store, operation);
      seconds.observe((performance.now() - begun) / 1_000);
    };
    return (...args) => {
      const begun = performance.now();
      const answer = call(...args);
      if (!(answer instanceof Promise)) return answer;
      return answer.then(
        (result: unknown) => {
          measured(begun);
          return result;
        },
        (error: unknown) => {
          measured(begun);
          this.#failed(store, operation, error);
          throw error;
        },
      );
    };
  };

  /** An aborted call is no failure of the store. */
  #failed(store: string, operation: string, error: unknown): void {
    if (error instanceof Error && error.name === 'AbortError') return;
    const code = isFault(error) ? error.code : 'internal_error';
    this.#errors.at(store, operation, code).value += 1;
  }
}
