import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** No system gives a port of these away by itself: Linux begins at 32,768, others at 49,152. */
const LEAST = 20_000;
const PAST_MOST = 32_768;

/**
 * A free port of 127.0.0.1 to listen on a while later, or again and again. One that the system gives for 0 may belong to
 * another by then: to a server that asked for 0, too, or to the near end of somebody's connection.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LEAST, PAST_MOST);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false;
    throw error;
  }
  const closed = once(server, 'close');
  server.close();
  await closed;
  return true;
}
