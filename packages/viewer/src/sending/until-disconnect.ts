import type { ServerResponse } from 'node:http';

/** Does something as long as its viewer is there. What comes of it, or fails, after they left is `undefined`. */
export async function whileThere<Outcome>(
  response: ServerResponse,
  work: (left: AbortSignal) => Promise<Outcome>,
): Promise<Outcome | undefined> {
  if (response.destroyed) return undefined;
  const left = new AbortController();
  const leave = (): void => left.abort();
  response.once('close', leave);
  try {
    const outcome = await work(left.signal);
    return left.signal.aborted ? undefined : outcome;
  } catch (error) {
    if (left.signal.aborted) return undefined;
    throw error;
  } finally {
    response.off('close', leave);
  }
}
