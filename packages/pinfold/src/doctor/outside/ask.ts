import { lookup } from 'node:dns';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type Duration, seconds } from '@pinfold/core';
import { tryParseJson } from '../../try-parse-json.ts';

export interface RequestSettings {
  /** The certificate authorities to trust instead of the default ones, in PEM. */
  readonly ca?: string;
}

export interface RequestOptions {
  readonly method?: 'GET' | 'POST';
  /** The request target, sent unchanged. Default: that of the URL. */
  readonly target?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** At most the first {@link MAX_READ} bytes. */
  readonly text: string;
  readonly port: number;
  readonly certificateEnd?: Date;
}

const TIMEOUT: Duration = seconds(20);
const MAX_READ = 1_048_576;

export function readDocument({ status, text }: Answer): unknown {
  return status === 200 ? tryParseJson(text) : undefined;
}

/** Sends one request without following redirects. Resolves names below `localhost` to this machine, as browsers do. */
export function ask(url: URL, options: RequestOptions = {}, { ca }: RequestSettings = {}): Promise<Answer> {
  const { method = 'GET', target = `${url.pathname}${url.search}`, headers = {}, body } = options;
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const isSecure = url.protocol === 'https:';
  const request = (isSecure ? httpsRequest : httpRequest)({
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port || (isSecure ? 443 : 80),
    path: target,
    method,
    headers: {
      host: url.host,
      ...headers,
      ...(body === undefined ? {} : { 'content-length': body.byteLength }),
    },
    // One connection per request: its local port identifies it.
    agent: false,
    lookup: resolveLocalhost,
    signal: AbortSignal.timeout(TIMEOUT),
    ...(ca === undefined ? {} : { ca }),
  });
  request.on('error', reject);
  // Without a listener, Node closes such a connection without an event for errors.
  request.on('upgrade', (_response, socket) => {
    socket.destroy();
    reject(new Error('the server switched to another protocol'));
  });
  request.on('response', (response) => {
    const port = response.socket.localPort ?? 0;
    const certificate = isSecure ? (response.socket as TLSSocket).getPeerCertificate() : undefined;
    const pieces: Buffer[] = [];
    let bytes = 0;
    const end = (): void =>
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: Buffer.concat(pieces).toString('utf8'),
        port,
        ...(certificate === undefined ? {} : { certificateEnd: new Date(certificate.valid_to) }),
      });
    response.on('data', (piece: Buffer) => {
      bytes += piece.byteLength;
      if (bytes <= MAX_READ) pieces.push(piece);
      else response.destroy();
    });
    // A server may answer and close before it has read the whole body; the answer counts.
    response.on('error', end).on('close', end);
  });
  request.end(body);
  return promise;
}

const resolveLocalhost: LookupFunction = (hostname, options, callback) => {
  const name = /(?:^|\.)localhost\.?$/i.test(hostname) ? 'localhost' : hostname;
  lookup(name, options, callback);
};
