import { raceSignal } from '@pinfold/core/adapter';

/** Yields a body's chunks; throws an abort's reason even while it waits for one. Does not wait for the body to close. */
export async function* untilAborted<Chunk>(
  body: AsyncIterable<Chunk>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Chunk, void> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await raceSignal(chunks.next(), signal);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Ignores errors of closing, since all needed chunks have been read.
    Promise.resolve(chunks.return?.()).catch(() => undefined);
  }
}
