/** A body's chunks; an abort ends the wait for one with its reason. Closes the body without waiting: it may stall. */
export async function* untilAborted<Chunk>(
  body: AsyncIterable<Chunk>,
  signal: AbortSignal,
): AsyncGenerator<Chunk, void> {
  const chunks = body[Symbol.asyncIterator]();
  let interrupt: (reason: unknown) => void = () => undefined;
  const stop = (): void => interrupt(signal.reason);
  signal.addEventListener('abort', stop);
  try {
    for (;;) {
      signal.throwIfAborted();
      // One promise a chunk: racing each against one that lasts would keep them all in memory.
      const next = await new Promise<IteratorResult<Chunk, unknown>>((take, refuse) => {
        interrupt = refuse;
        chunks.next().then(take, refuse);
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    // How a body closes changes nothing any more: what mattered of it has come out.
    Promise.resolve(chunks.return?.()).catch(() => undefined);
  }
}
