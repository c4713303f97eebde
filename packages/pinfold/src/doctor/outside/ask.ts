import { lookup as lookUp } from 'node:dns';
import { request as askPlainly, type IncomingHttpHeaders } from 'node:http';
import { request as askSecurely } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type Duration, seconds } from '@pinfold/core';

/** How a server is reached, where it is not as usual. */
export interface Way {
  /** Certificates of authorities to trust instead of the usual ones, in PEM. */
  readonly ca?: string;
}

/** What is asked. */
export interface Question {
  readonly method?: 'GET' | 'POST';
  /** The target as it goes out; that of the URL when absent. */
  readonly target?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** What came. */
export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** At most the first {@link MOST_READ} bytes. */
  readonly text: string;
  /** Our end of the connection. */
  readonly port: number;
  /** Until when the certificate is good; absent where there is none. */
  readonly certifiedUntil?: Date;
}

const PATIENCE: Duration = seconds(20);
const MOST_READ = 1_048_576;

/**
 * Asks a server once, following nothing. Rejects with what Node says when no answer came.
 *
 * Names below `localhost` are this machine, as they are to browsers.
 */
export function ask(url: URL, question: Question = {}, { ca }: Way = {}): Promise<Answered> {
  const { method = 'GET', target = `${url.pathname}${url.search}`, headers = {}, body } = question;
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const isSecure = url.protocol === 'https:';
  const request = (isSecure ? askSecurely : askPlainly)({
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port || (isSecure ? 443 : 80),
    path: target,
    method,
    headers: {
      host: url.host,
      ...headers,
      ...(body === undefined ? {} : { 'content-length': body.byteLength }),
    },
    // One connection a question, so that its port is known to be its own.
    agent: false,
    lookup: lookUpAsBrowsersDo,
    signal: AbortSignal.timeout(PATIENCE),
    ...(ca === undefined ? {} : { ca }),
  });
  request.on('error', reject);
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
        ...(certificate === undefined ? {} : { certifiedUntil: new Date(certificate.valid_to) }),
      });
    response.on('data', (piece: Buffer) => {
      bytes += piece.byteLength;
      if (bytes <= MOST_READ) pieces.push(piece);
      else response.destroy();
    });
    // Who answers early may close what is still being sent: the answer is what counts.
    response.on('error', end).on('close', end);
  });
  request.end(body);
  return promise;
}

const lookUpAsBrowsersDo: LookupFunction = (hostname, options, callback) => {
  const name = /(?:^|\.)localhost\.?$/i.test(hostname) ? 'localhost' : hostname;
  lookUp(name, options, callback);
};
