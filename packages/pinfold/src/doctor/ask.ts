import { lookup } from 'node:dns';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type Duration, seconds } from '@pinfold/core';
import { errorText } from '../settings/settings-error.ts';

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

const WRONG_NAME = 'get a certificate for this name; sites need a wildcard certificate';

const ADVICE: Readonly<Record<string, string>> = {
  ENOTFOUND: 'create a DNS record of this name that points to the proxy',
  EAI_AGAIN: 'check that this machine can reach its name server',
  ECONNREFUSED:
    'start the proxy, or the server if there is none; check that it listens on this address and port',
  ECONNRESET: 'check what listens there: it closed the connection without an answer',
  EHOSTUNREACH: 'check that this machine can connect to that address',
  ENETUNREACH: 'check that this machine can connect to that address',
  EPROTO: 'check that TLS is enabled there',
  ETIMEDOUT: 'open the port in the firewall, and check that the name points to the proxy',
  ABORT_ERR: 'open the port in the firewall, and check that the name points to the proxy',
  CERT_HAS_EXPIRED: 'renew the certificate, and check why it was not renewed automatically',
  ERR_TLS_CERT_ALTNAME_INVALID: WRONG_NAME,
};

const UNTRUSTED =
  'configure a certificate that browsers trust, with its intermediate certificates; for a certificate authority of your own set NODE_EXTRA_CA_CERTS';

export function isCertificateError(error: unknown): boolean {
  return /^(?:CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT)/.test(readCode(error));
}

export function explainNoAnswer(error: unknown): readonly [observed: string, advice: string] {
  const code = readCode(error);
  // A proxy without a certificate for the name sends a TLS alert.
  const [alert] = /(?<=:)[\w/]+ alert [\w ]+/.exec(errorText(error)) ?? [];
  if (alert !== undefined) return [`the proxy refused TLS: ${alert}`, WRONG_NAME];
  const observed = code === 'ABORT_ERR' ? 'there was no answer within 20 s' : errorText(error);
  const advice = ADVICE[code] ?? (isCertificateError(error) ? UNTRUSTED : 'check what listens there');
  return [observed, advice];
}

function readCode(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return '';
  // The code of a timeout is a number.
  return typeof error.code === 'string' ? error.code : 'ABORT_ERR';
}
