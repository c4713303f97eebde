import { parseRoleId, type RoleId } from '@pinfold/core';

const UUID_LENGTH = 36;
const DOT = 46;

/**
 * The site that a Host header names: `{uuid}.{sites host}` in any letter case, with or without the root's trailing dot.
 * The port is not compared: proxies drop it, and no two sites differ by it. `hostname` is in lower case, without port.
 */
export function siteOfHost(host: string | undefined, hostname: string): RoleId | undefined {
  if (host === undefined || host.charCodeAt(UUID_LENGTH) !== DOT) return undefined;
  const colon = host.indexOf(':', UUID_LENGTH);
  const rest = host.slice(UUID_LENGTH + 1, colon === -1 ? undefined : colon);
  if (rest !== hostname && rest.toLowerCase().replace(/\.$/, '') !== hostname) return undefined;
  return parseRoleId(host.slice(0, UUID_LENGTH));
}

export function isBelowHost(host: string | undefined, hostname: string): boolean {
  return host !== undefined && nameOf(host).endsWith(`.${hostname}`);
}

export function isHost(host: string | undefined, hostname: string): boolean {
  return host !== undefined && nameOf(host) === hostname;
}

/** The host name without port and dots at the end: resolvers may ignore any number of them. */
function nameOf(host: string): string {
  const name = host.toLowerCase().replace(/^(\[[^\]]*\]|[^:]*).*/s, '$1');
  let end = name.length;
  while (name.charCodeAt(end - 1) === DOT) end -= 1;
  return name.slice(0, end);
}
