import type { Writable } from 'node:stream';

/**
 * Returns a function that waits until everything written to a stream so far has gone out, and returns the error if that
 * failed. The end of a process would cut off what a slow reader of its pipe has not read yet.
 */
export function trackWrites(stream: Writable): () => Promise<Error | undefined> {
  let failure: Error | undefined;
  stream.on('error', (error) => {
    failure ??= error;
  });
  return () =>
    new Promise((resolve) => {
      stream.write('', (error) => resolve(failure ?? error ?? undefined));
    });
}
