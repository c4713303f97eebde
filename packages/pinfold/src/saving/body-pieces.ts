import { UnavailableError } from '../command-line/failures.ts';

/** Milliseconds without a byte that end a download. */
const IDLE = 60_000;

/**
 * The body of an answer as it comes.
 *
 * @param stalled aborted when no byte comes for a minute; its signal is that of the request.
 * @throws UnavailableError when the connection ends before the body.
 */
export async function* bodyPieces(
  { body }: Response,
  stalled: AbortController,
  idle: number = IDLE,
): AsyncGenerator<Uint8Array, void> {
  const wait = () => setTimeout(() => stalled.abort(), idle);
  let timer = wait();
  try {
    for await (const piece of body ?? []) {
      clearTimeout(timer);
      yield piece;
      timer = wait();
    }
  } catch (cause) {
    throw new UnavailableError('The connection ended before the ZIP was whole: try again.', { cause });
  } finally {
    clearTimeout(timer);
  }
}
