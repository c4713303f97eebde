import type { IncomingMessage } from 'node:http';

/**
 * Whether a request has more than one Host header (RFC 9112, section 3.2). Node keeps the first, a proxy may have gone
 * by the last: which site was meant, nobody can say. Every request passes here, so what Node would make of all headers
 * is not asked for.
 *
 * @example
 * import { hasSeveralHosts } from '@pinfold/http';
 *
 * hasSeveralHosts({ rawHeaders: ['Host', 'a.example', 'host', 'b.example'] }); // true
 */
export function hasSeveralHosts({ rawHeaders = [] }: Partial<Pick<IncomingMessage, 'rawHeaders'>>): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && (name === 'Host' || name.toLowerCase() === 'host')) hosts += 1;
  }
  return hosts > 1;
}
