import { UnavailableError } from '../command-line/failures.ts';

/** Ends a download after this time without a byte, in milliseconds. */
const IDLE = 60_000;

/**
 * Yields the body of an answer as it arrives.
 *
 * @param stalled aborted after a minute without a byte; the request must use its signal.
 *
 * @throws UnavailableError if the connection ends before the body does.
 */
export async function* bodyPieces(
  { body }: Response,
  stalled: AbortController,
  idle: number = IDLE,
): AsyncGenerator<Uint8Array, void> {
  const startTimer = () => setTimeout(() => stalled.abort(), idle);
  let timer = startTimer();
  try {
    for await (const piece of body ?? []) {
      clearTimeout(timer);
      yield piece;
      timer = startTimer();
    }
  } catch (cause) {
    throw new UnavailableError('The connection ended before the ZIP was whole: try again.', { cause });
  } finally {
    clearTimeout(timer);
  }
}
