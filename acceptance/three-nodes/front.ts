import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/** A node, as the front knows it. */
export interface Behind {
  readonly name: string;
  readonly port: number;
}

/** What a load balancer is to a service: one address, and each request goes to the next node. */
export interface Front {
  readonly url: string;
  /** The node that the latest request was given to. */
  readonly latest: Behind | undefined;
  close(): Promise<void>;
}

/** These are between two ends of one connection, and not for those behind. */
const HOP_BY_HOP: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade']);

/**
 * Starts a front that keeps the `Host` header, since that tells the sites apart, and the path as it came. A node that
 * takes no connection is passed over; a request whose node dies with it is answered with 502, since only its sender
 * can know whether it may be sent again.
 */
export async function startFront(nodes: () => readonly Behind[]): Promise<Front> {
  let turn = 0;
  let latest: Behind | undefined;
  const next = (): Behind | undefined => {
    const all = nodes();
    turn += 1;
    latest = all[turn % all.length];
    return latest;
  };
  const server = createServer((incoming, response) => pass(incoming, response, next, nodes().length));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    get latest() {
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

function pass(
  incoming: IncomingMessage,
  response: ServerResponse,
  next: () => Behind | undefined,
  tries: number,
): void {
  const node = tries === 0 ? undefined : next();
  if (node === undefined) {
    fail(response, 503);
    return;
  }
  const { method, url: path } = incoming;
  const headers = headersFor(incoming);
  const outgoing = request({ host: '127.0.0.1', port: node.port, method, path, headers, agent: false });
  let connected = false;
  outgoing.once('socket', (socket) => {
    socket.once('connect', () => {
      connected = true;
      incoming.pipe(outgoing);
    });
  });
  outgoing.once('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, endToEnd(answer));
    pipeline(answer, response, () => undefined);
  });
  // A client that goes away needs no answer.
  response.once('close', () => outgoing.destroy());
  outgoing.on('error', () => {
    if (connected || response.destroyed) fail(response, 502);
    else pass(incoming, response, next, tries - 1);
  });
}

function headersFor(incoming: IncomingMessage): Readonly<Record<string, string | string[]>> {
  return { ...endToEnd(incoming), 'x-forwarded-for': incoming.socket.remoteAddress ?? '' };
}

function endToEnd({ headers }: IncomingMessage): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !HOP_BY_HOP.has(name)) kept[name] = value;
  }
  return kept;
}

function fail(response: ServerResponse, status: number): void {
  if (response.headersSent || response.destroyed) response.destroy();
  else response.writeHead(status, { 'content-type': 'text/plain' }).end('no node could answer\n');
}
