import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Systems assign no ports from this range, and well-known ports are below it. */
const [LOWEST, BEYOND] = [20_000, 30_000];

/**
 * A free port on 127.0.0.1 that the system never assigns. So it stays free until it is listened on,
 * and between two servers, even if others start meanwhile.
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
