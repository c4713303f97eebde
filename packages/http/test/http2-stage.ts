import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type ClientHttp2Session, connect, createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** A server that speaks HTTP/2, and its only client. */
export interface Http2Stage {
  readonly server: Http2Server;
  readonly client: ClientHttp2Session;
  close(): Promise<void>;
}

/** Passes requests on as frameworks do: both kinds of requests and responses have what doors need. */
export async function openHttp2(listener: RequestListener = () => {}): Promise<Http2Stage> {
  const server = createServer((request, response) => void listener(request as never, response as never));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const close = async (): Promise<void> => {
    client.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { server, client, close };
}
