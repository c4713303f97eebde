import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What {@link startS3} may be told. */
export interface S3ServerOptions {
  /** Awaited before a request is answered: what never resolves leaves it hanging. */
  readonly before?: (method: string, path: string, headers: IncomingHttpHeaders) => Promise<void>;
}

/** A server that speaks S3 over HTTP, in this process, on 127.0.0.1; it takes any credentials. */
export interface S3Server {
  /** Its URL, without `/` at the end. */
  readonly endpoint: string;
  readonly port: number;
  makeBucket(name: string): Promise<void>;
  /** Stops it and forgets all it kept. */
  stop(): Promise<void>;
}

/** Starts an S3 server from npm that keeps everything in memory. */
export async function startS3({ before }: S3ServerOptions = {}): Promise<S3Server> {
  const { buildApp } = await import('fauxqs');
  const app = buildApp({ logger: false });
  if (before !== undefined)
    app.addHook('onRequest', ({ method, url, headers }) => before(method, url, headers));
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  return {
    endpoint,
    port,
    makeBucket: async (name) => {
      const { status } = await fetch(`${endpoint}/${name}`, { method: 'PUT' });
      if (status !== 200) throw new Error(`the bucket was answered with ${status}`);
    },
    stop: async () => {
      const closed = once(app.server, 'close');
      app.server.closeAllConnections();
      await app.close();
      await closed;
    },
  };
}
