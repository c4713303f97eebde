import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Options of {@link startS3}. */
export interface S3ServerOptions {
  /** Awaited before a request is answered; a promise that never resolves lets it hang. */
  readonly before?: (method: string, path: string, headers: IncomingHttpHeaders) => Promise<void>;
}

/** An S3 server in this process, on 127.0.0.1; it accepts any credentials. */
export interface S3Server {
  /** Its URL, without a trailing slash. */
  readonly endpoint: string;
  readonly port: number;
  makeBucket(name: string): Promise<void>;
  /** Stops it and drops its data. */
  stop(): Promise<void>;
}

/** Starts an S3 server from npm, with all data in memory. */
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
