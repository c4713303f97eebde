import { isFault } from '@pinfold/core';
import { type Call, withCalls } from '@pinfold/core/adapter';
import type { Figures, Histogram, Series, SeriesSet } from './registry.ts';

/** Measures what stores are asked. */
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

  /** A store, every call of which is measured. */
  measuring<Port extends object>(store: string, port: Port): Port {
    return withCalls(port, (operation, call) => this.#measured(store, operation, call));
  }

  #measured(store: string, operation: string, call: Call): Call {
    const seconds = this.#seconds.at(store, operation);
    return (...args) => {
      const begun = performance.now();
      const answer = call(...args);
      if (!(answer instanceof Promise)) return answer;
      return answer.then(
        (result: unknown) => {
          seconds.observe((performance.now() - begun) / 1_000);
          return result;
        },
        (error: unknown) => {
          seconds.observe((performance.now() - begun) / 1_000);
          this.#failed(store, operation, error);
          throw error;
        },
      );
    };
  }

  /** Whoever breaks a call off has lost interest; the store has not failed. */
  #failed(store: string, operation: string, error: unknown): void {
    if (error instanceof Error && error.name === 'AbortError') return;
    const code = isFault(error) ? error.code : 'internal_error';
    this.#errors.at(store, operation, code).value += 1;
  }
}
