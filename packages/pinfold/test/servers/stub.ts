import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closed, listening } from 'pinfold-test-servers/service';
import { closedAfterTest } from './close-after-test.ts';

/** Another server on a separate port, until the test has ended. */
export interface Stub {
  readonly server: Server;
  readonly port: number;
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a server whose answers a test chooses. */
export async function startStub(answer?: RequestListener): Promise<Stub> {
  const server = await listening();
  if (answer !== undefined) server.on('request', answer);
  const { port } = server.address() as AddressInfo;
  return { server, port, url: `http://127.0.0.1:${port}`, close: closedAfterTest(() => closed(server)) };
}
