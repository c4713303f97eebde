import type { IncomingMessage } from 'node:http';
import { parseRoleId, type RoleId } from '@pinfold/core';

const UUID_LENGTH = 36;
const DOT = 46;

/**
 * The site that a Host header names: `{uuid}.{sites host}` in any letter case, with or without the root's trailing
 * dot. The port is not compared: proxies drop it, and nothing is told apart by it.
 *
 * @param hostname the sites' host in lower case, without port.
 */
export function siteOfHost(host: string | undefined, hostname: string): RoleId | undefined {
  if (host === undefined || host.charCodeAt(UUID_LENGTH) !== DOT) return undefined;
  const colon = host.indexOf(':', UUID_LENGTH);
  const rest = host.slice(UUID_LENGTH + 1, colon === -1 ? undefined : colon);
  if (rest !== hostname && rest.toLowerCase().replace(/\.$/, '') !== hostname) return undefined;
  return parseRoleId(host.slice(0, UUID_LENGTH));
}

/**
 * Whether a request has more than one Host header (RFC 9112, section 3.2). Node keeps the first, a proxy may have gone
 * by the last: which site was meant, nobody can say. Every request passes here, so what Node would make of all headers
 * is not asked for.
 */
export function hasSeveralHosts({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && (name === 'Host' || name.toLowerCase() === 'host')) hosts += 1;
  }
  return hosts > 1;
}
