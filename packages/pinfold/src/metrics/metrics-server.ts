import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SettingsError } from '../settings/settings-error.ts';
import { EXPOSITION_TYPE, exposition } from './exposition.ts';
import type { Snapshot } from './metrics-snapshot.ts';

// An import of node:http would load Node's fetch.
const { createServer } = process.getBuiltinModule('node:http');

/** Where figures are asked for. */
export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

const HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/**
 * Answers `GET /metrics`, and nothing else.
 *
 * @param read asked for each answer.
 * @throws SettingsError when the port or the address cannot be had.
 */
export async function serveMetrics(port: number, host: string, read: () => Snapshot): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: 10_000 }, (request, response) =>
    answer(request, response, read),
  );
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(port, host, resolve);
  try {
    await promise;
  } catch (cause) {
    const expectation = 'must lead, with PINFOLD_METRICS_HOST, to a port that is free';
    throw new SettingsError('PINFOLD_METRICS_PORT', expectation, { cause });
  }
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      return closed.promise;
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse, read: () => Snapshot): void {
  const path = (request.url ?? '').split('?', 1)[0];
  if (path !== '/metrics') {
    response.writeHead(404, HEADERS).end();
  } else if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { ...HEADERS, Allow: 'GET, HEAD' }).end();
  } else {
    const text = exposition(read());
    const length = Buffer.byteLength(text);
    response.writeHead(200, { ...HEADERS, 'Content-Type': EXPOSITION_TYPE, 'Content-Length': length });
    response.end(request.method === 'HEAD' ? undefined : text);
  }
}
