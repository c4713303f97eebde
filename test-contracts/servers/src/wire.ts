import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { quietPort } from './quiet-port.ts';

/** A proxy to a server on this machine, whose connections a test can cut and restore. */
export interface Wire {
  /** The port on 127.0.0.1 to connect to instead of the server's. */
  readonly port: number;
  /** Cuts every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Accepts connections again, to the server or to another one. */
  restore(port?: number): Promise<void>;
}

/** Starts a proxy to a port on 127.0.0.1. */
export async function startWire(serverPort: number): Promise<Wire> {
  const sockets = new Set<Socket>();
  let target = serverPort;
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.once('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.on('error', () => other.destroy());
      one.pipe(other);
    }
  });
  // Otherwise another server could have the port when connections are restored.
  const port = await quietPort();
  const listen = async (): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen();
  const cut = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    port,
    cut,
    restore: async (other = target) => {
      target = other;
      await listen();
    },
  };
}
