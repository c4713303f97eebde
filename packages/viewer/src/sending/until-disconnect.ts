import type { ServerResponse } from 'node:http';
import { hasLeft } from '@pinfold/http/internal';

/** Runs work until the viewer disconnects: its outcome or failure after that is `undefined`. */
export async function untilDisconnect<Outcome>(
  response: ServerResponse,
  work: (left: AbortSignal) => Promise<Outcome>,
): Promise<Outcome | undefined> {
  if (hasLeft(response)) return undefined;
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
