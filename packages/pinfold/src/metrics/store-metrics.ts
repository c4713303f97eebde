import { isFault } from '@pinfold/core';
import type { Observer } from '@pinfold/core/adapter';
import { isPromise, nameOf } from '@pinfold/core/internal';
import type { Registry, Series } from './registry.ts';

export function createStoreObserver(registry: Registry): Observer {
  const secondsHelp = 'How long the calls of the database and the storage took.';
  const durations = registry.histogram('pinfold_store_seconds', secondsHelp, ['store', 'operation']);
  const labels = ['store', 'operation', 'code'];
  const errorsHelp = 'Calls of the database and the storage that failed.';
  const errors = registry.counter('pinfold_store_errors_total', errorsHelp, labels);
  return (call, operation, store) => {
    if (store === 'inspector') return call;
    // Created by the first call, so that unused operations have no series.
    let seconds: Series | undefined;
    const measure = (startedAt: number): void => {
      seconds ??= durations.at(store, operation);
      seconds.observe((performance.now() - startedAt) / 1_000);
    };
    return (...args) => {
      const startedAt = performance.now();
      const answer = call(...args);
      if (!isPromise(answer)) {
        measure(startedAt);
        return answer;
      }
      return answer.then(
        (result: unknown) => {
          measure(startedAt);
          return result;
        },
        (error: unknown) => {
          measure(startedAt);
          // An aborted call is not a failure of the store.
          const isAborted = nameOf(error) === 'AbortError';
          const code = isFault(error) ? error.code : 'internal_error';
          if (!isAborted) errors.at(store, operation, code).value += 1;
          throw error;
        },
      );
    };
  };
}
