import type { IncomingMessage } from 'node:http';

/** Whether the request's body is of a media type, and not compressed. */
export function hasMediaType(request: IncomingMessage, type: string): boolean {
  const { 'content-type': sent = '', 'content-encoding': coding = 'identity' } = request.headers;
  return sent.split(/[; \t]/, 1)[0]?.toLowerCase() === type && coding.toLowerCase() === 'identity';
}
