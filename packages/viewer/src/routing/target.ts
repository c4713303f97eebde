import type { IncomingMessage } from 'node:http';
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

/** Percent-encodes the characters that a Location header must not contain (RFC 3986, section 2), and no others. */
export function encodeRawBytes(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  });
}
