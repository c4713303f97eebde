import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/** A node as the front sees it. */
export interface BackendNode {
  readonly name: string;
  readonly port: number;
}

/** A load balancer: one address, which passes each request to the next node. */
export type Front = Awaited<ReturnType<typeof startFront>>;

/**
 * Starts a front that passes on the `Host` header, which selects the site, and the path unchanged. If a node dies
 * during a request, the answer is 502, since only the sender can know whether it may be repeated.
 */
export async function startFront(nodes: () => readonly BackendNode[]) {
  let turn = 0;
  let latest: BackendNode | undefined;
  const server = createServer((incoming, response) => {
    const all = nodes();
    turn += 1;
    latest = all[turn % all.length];
    const { method, url: path, socket } = incoming;
    const headers = { ...endToEnd(incoming.headers), 'x-forwarded-for': socket.remoteAddress ?? '' };
    const node = { host: '127.0.0.1', port: latest?.port, agent: false };
    const outgoing = request({ ...node, method, path, headers });
    outgoing.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
      pipeline(answer, response, () => undefined);
    });
    outgoing.on('error', () => {
      if (response.headersSent || response.destroyed) response.destroy();
      else response.writeHead(502, { 'content-type': 'text/plain' }).end('the node did not answer\n');
    });
    // A client that goes away needs no answer.
    response.once('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    /** The node that received the latest request. */
    get latest(): BackendNode | undefined {
      return latest;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Without the headers for a single connection. */
function endToEnd({ connection: _, 'keep-alive': __, ...headers }: IncomingHttpHeaders): IncomingHttpHeaders {
  return headers;
}
