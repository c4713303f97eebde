import type { IncomingMessage } from 'node:http';

/**
 * Whether a request has more than one Host header (RFC 9112, section 3.2). Node takes the first, a proxy may have taken
 * the last, so the site is ambiguous. Reads the raw headers: every request passes here, and parsing all of them costs more.
 */
export function hasSeveralHosts({ rawHeaders = [] }: Partial<Pick<IncomingMessage, 'rawHeaders'>>): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && (name === 'Host' || name.toLowerCase() === 'host')) hosts += 1;
  }
  return hosts > 1;
}
