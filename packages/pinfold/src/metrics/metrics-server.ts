import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { outgoingBytes, readTarget, socketAddress } from '@pinfold/http/internal';
import { SettingsError } from '../settings/settings-error.ts';
import { formatOption } from '../settings/variables.ts';
import { type Family, type MetricsSnapshot, mergeSnapshots } from './metrics-snapshot.ts';

// Importing node:http would also load Node's fetch.
const { createServer } = process.getBuiltinModule('node:http');

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

const HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/** Answers `GET /metrics` with the sum of the snapshots that `read` returns, and nothing else. */
export async function serveMetrics(
  port: number,
  host: string,
  read: () => readonly MetricsSnapshot[],
): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: 10_000 }, (request, response) =>
    answer(request, response, read),
  ).listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const expectation = `must lead, with ${formatOption('metricsHost')}, to a port that is free`;
    throw new SettingsError('metricsPort', expectation, { cause });
  }
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server.close(), 'close');
      server.closeAllConnections();
      await closed;
    },
  };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  read: () => readonly MetricsSnapshot[],
): void {
  const path = readTarget(request.url ?? '', undefined)?.path.split('?', 1)[0];
  if (path !== '/metrics') {
    response.writeHead(404, HEADERS).end();
  } else if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { ...HEADERS, Allow: 'GET, HEAD' }).end();
  } else {
    const text = formatExposition(mergeSnapshots(read()));
    const type = 'text/plain; version=0.0.4; charset=utf-8';
    const length = Buffer.byteLength(text);
    response.writeHead(200, { ...HEADERS, 'Content-Type': type, 'Content-Length': length });
    response.end(request.method === 'HEAD' ? undefined : text);
    outgoingBytes.followWritten(response, () => socketAddress(request));
  }
}

/** Formats metrics for Prometheus, text format 0.0.4. */
export function formatExposition(snapshot: MetricsSnapshot): string {
  const families = Object.values(snapshot).sort((a, b) => (a.name < b.name ? -1 : 1));
  const lines = families.flatMap((family) => [
    `# HELP ${family.name} ${family.help}`,
    `# TYPE ${family.name} ${family.type}`,
    ...Object.entries(family.series).flatMap(([labels, values]) => formatSeries(family, labels, values)),
  ]);
  return lines.map((line) => `${line}\n`).join('');
}

function formatSeries(
  { name, type, bounds }: Family,
  labels: string,
  values: readonly number[],
): readonly string[] {
  const line = (suffix: string, value: number = 0, ...more: readonly string[]): string => {
    const all = [labels, ...more].filter((label) => label !== '').join(',');
    return `${name}${suffix}${all === '' ? '' : `{${all}}`} ${value}`;
  };
  if (type !== 'histogram') return [line('', values[0])];
  let count = 0;
  const buckets = [...bounds, '+Inf'].map((bound, index) => {
    count += values[index] ?? 0;
    return line('_bucket', count, `le="${bound}"`);
  });
  return [...buckets, line('_sum', values.at(-1)), line('_count', count)];
}
