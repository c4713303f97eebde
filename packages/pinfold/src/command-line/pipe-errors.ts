import type { Writable } from 'node:stream';

/**
 * Waits, when it is called, until all that was written to a stream until then has gone out, and gives what kept it from
 * that, if anything did. The end of a process would cut off what a slow reader of its pipe has not taken yet.
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
