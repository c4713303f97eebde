import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { percentDecoded } from '@pinfold/core/internal';

export interface Target {
  /** As sent, percent-encoded. */
  readonly path: string;
  /** With its `?`, or empty. */
  readonly query: string;
}

export function splitTarget(target: string): Target {
  const mark = target.indexOf('?');
  return mark === -1
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark) };
}

/** The parameters `to` and `grant` of a query, at most three, without reading thousands of others. */
export function parametersOf(query: string): URLSearchParams {
  const ours = query.match(/(?<=[?&])(?:to|grant)(?=[=&]|$)[^&]*/g) ?? [];
  return new URLSearchParams(ours.slice(0, 3).join('&'));
}

/** The original request target, even if a framework has shortened `url`. */
export function targetOf(request: IncomingMessage): string {
  const original = 'originalUrl' in request ? request.originalUrl : undefined;
  return typeof original === 'string' ? original : (request.url ?? '');
}

const ENCODED_SLASH = /%2f/i;

/** Decodes a path once; each character of `raw` stands for a byte. `undefined` for broken escapes, bytes that are not UTF-8, or an encoded slash. */
export function decodePath(raw: string): string | undefined {
  return ENCODED_SLASH.test(raw) ? undefined : percentDecoded(encodeRawBytes(raw));
}

/** Each byte as a Location header writes it. */
const WRITTEN: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte > 0x20 && byte < 0x7f
    ? String.fromCharCode(byte)
    : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
);

/** Percent-encodes the characters that a Location header must not contain (RFC 3986, section 2), and no others. */
export function encodeRawBytes(text: string): string {
  if (!/[^\x21-\x7e]/.test(text)) return text;
  // A loop: to replace each of 64 KiB of bytes would take ten times as long.
  let written = '';
  for (const byte of Buffer.from(text, 'latin1')) written += WRITTEN[byte];
  return written;
}

/** Whether a browser opens the address as a page of its own, rather than as a frame or part of a page. */
export function isDocument(headers: IncomingHttpHeaders): boolean {
  const destination = headers['sec-fetch-dest'];
  return destination === undefined ? isNavigation(headers.accept) : destination === 'document';
}

/** Whether the Accept header asks for a page, as browsers do on navigation. */
export function isNavigation(accept: string | undefined): boolean {
  return accept?.toLowerCase().includes('text/html') === true;
}

/** Whether a browser asks for the script of a service worker (Service Workers, "Service-Worker: script"). */
export function isServiceWorker(headers: IncomingHttpHeaders): boolean {
  return headers['service-worker'] === 'script' || headers['sec-fetch-dest'] === 'serviceworker';
}
