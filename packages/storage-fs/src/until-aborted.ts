import { raceSignal } from '@pinfold/core/adapter';

/** A body's chunks; an abort ends the wait for one with its reason. Closes the body without waiting: it may stall. */
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
    // How a body closes changes nothing any more: what mattered of it has come out.
    Promise.resolve(chunks.return?.()).catch(() => undefined);
  }
}
