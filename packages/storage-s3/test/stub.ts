import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { duration, isFault } from '@pinfold/core';
import {
  createS3Client,
  S3ArchiveStorage,
  type S3ArchiveStorageOptions,
  type S3ClientOptions,
} from '@pinfold/storage-s3';
import { rejectionOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { createPauseClock, type PauseClock } from './clocks.ts';

/** A received request; its body is read to the end unless the handler answered before. */
export interface StubRequest {
  readonly method: string;
  /** Path and query, decoded. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  /** Received bytes of the body. */
  bytes: number;
}

export type Handler = (request: StubRequest, response: ServerResponse, incoming: IncomingMessage) => unknown;

/** A server with a test's own answers, and a storage that uses it. */
export interface Stub {
  readonly requests: readonly StubRequest[];
  readonly storage: S3ArchiveStorage;
  readonly clock: PauseClock;
  readonly endpoint: string;
  /** The methods of the received requests. */
  methods(): string;
  /** The maximum number of requests that were answered at the same time. */
  maxConcurrent(): number;
  /** Another storage that uses the same server. */
  open(options?: Partial<S3ArchiveStorageOptions>, client?: Partial<S3ClientOptions>): S3ArchiveStorage;
  close(): Promise<void>;
}

/** Starts a {@link Stub}. A handler is called once the whole body is received, an `early` one after the headers. */
export async function startStub(handler: Handler, early?: Handler): Promise<Stub> {
  const requests: StubRequest[] = [];
  let [running, maxConcurrent] = [0, 0];
  const server = createServer((incoming, response) => {
    const { method = '', url = '', headers } = incoming;
    const request: StubRequest = { method, url: decodeURIComponent(url), headers, bytes: 0 };
    requests.push(request);
    running += 1;
    maxConcurrent = Math.max(maxConcurrent, running);
    response.once('close', () => {
      running -= 1;
    });
    incoming.on('data', (chunk: Buffer) => {
      request.bytes += chunk.length;
    });
    incoming.on('error', () => {});
    if (early !== undefined) early(request, response, incoming);
    else incoming.once('end', () => handler(request, response, incoming));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [clock, clients]: [PauseClock, { destroy(): void }[]] = [createPauseClock(), []];
  const open: Stub['open'] = (options = {}, clientOptions = {}) => {
    const credentials = { accessKeyId: 'id', secretAccessKey: 'hush-hush' };
    const client = createS3Client({
      region: 'us-east-1',
      endpoint,
      credentials,
      socketTimeout: duration(5_000),
      ...clientOptions,
    });
    clients.push(client);
    return new S3ArchiveStorage({ client, bucket: 'b', prefix: 'p', clock, ...options });
  };
  return {
    requests,
    clock,
    endpoint,
    storage: open(),
    methods: () => requests.map(({ method }) => method).join(' '),
    maxConcurrent: () => maxConcurrent,
    open,
    close: async () => {
      for (const client of clients) client.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An error in the form of S3's. */
export function refuse(response: ServerResponse, status: number, code: string, headers = {}): void {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`;
  response.writeHead(status, { 'content-type': 'application/xml', ...headers }).end(body);
}

/** A listing of keys. */
export function listing(
  response: ServerResponse,
  keys: readonly string[],
  truncated = false,
  count = true,
): void {
  const contents = keys.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join('');
  const counts = `<KeyCount>${keys.length}</KeyCount><IsTruncated>${truncated}</IsTruncated>`;
  const body = `<?xml version="1.0"?><ListBucketResult>${count ? counts : ''}${contents}</ListBucketResult>`;
  response.writeHead(200, { 'content-type': 'application/xml' }).end(body);
}

/** Bytes of a range: the requested one, unless another is given. */
export function ranged(
  request: StubRequest,
  response: ServerResponse,
  whole: Uint8Array,
  header?: string,
): void {
  const [, from = '0', to = '0'] = /^bytes=(\d+)-(\d+)$/.exec(String(request.headers.range)) ?? [];
  const bytes = whole.subarray(Number(from), Number(to) + 1);
  const range = header ?? `bytes ${from}-${to}/${whole.length}`;
  response.writeHead(206, { 'content-range': range, 'content-length': bytes.length }).end(bytes);
}

/** The fault when a store does not answer properly. */
export async function faultOf(call: Promise<unknown>, what?: string): Promise<Error> {
  const error = await rejectionOf(call, what);
  expect(isFault(error) && error.code, what).to.equal('storage_unavailable');
  return error as Error;
}
