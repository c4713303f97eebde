import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Where systems choose none for whoever asks for any port; those that services are known by lie below. */
const [LOWEST, BEYOND] = [20_000, 30_000];

/**
 * A free port on 127.0.0.1 that the system gives to nobody who asks for any. So it stays free until it is listened on,
 * and while it is not for a time, however many servers are started beside.
 */
export async function quietPort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, BEYOND);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}
