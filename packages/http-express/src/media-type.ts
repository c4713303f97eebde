import type { IncomingMessage } from 'node:http';
import { RequestRefused } from './problem.ts';

const BOUNDARY = /;[ \t]*boundary=(?:"((?:[^"\\]|\\.)*)"|([^;" \t]*))/i;
/** RFC 2046, section 5.1.1, and the characters that some clients use beyond it. */
const USABLE_BOUNDARY = /^[!-~ ]{0,199}[!-~]$/;

/** Whether the request's body is of a media type, and not compressed. */
export function hasMediaType(request: IncomingMessage, type: string): boolean {
  const { 'content-type': sent = '', 'content-encoding': coding = 'identity' } = request.headers;
  return sent.split(/[; \t]/, 1)[0]?.toLowerCase() === type && coding.toLowerCase() === 'identity';
}

/** The boundary between the parts of a form. */
export function formBoundary(request: IncomingMessage): string {
  const [, quoted, token] = BOUNDARY.exec(request.headers['content-type'] ?? '') ?? [];
  const boundary = quoted?.replace(/\\(.)/g, '$1') ?? token ?? '';
  if (USABLE_BOUNDARY.test(boundary)) return boundary;
  throw new RequestRefused('invalid_request', {
    detail: 'Name the boundary of the form in the Content-Type header: see RFC 7578.',
  });
}
