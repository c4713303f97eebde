import type { IncomingMessage } from 'node:http';
import { parseRoleId, type RoleId } from '@pinfold/core';
import { hostOf, readTarget } from '@pinfold/http/internal';
import type { Settings, ViewerRoute } from '../viewer-options.ts';
import { HAND_OVER_PATH } from './addresses.ts';
import { splitTarget, type Target, targetOf } from './target.ts';

/** The meaning of a request's host and target; `route` names it in the log. */
export type Place = SharedPlace | NamePlace | PathPlace | OriginPlace | NoPlace;

interface Named<Kind extends string, Role = RoleId | null> {
  readonly kind: Kind;
  readonly route: ViewerRoute;
  /** The id of the publication in the address, whether or not it exists; null if the address has no valid id. */
  readonly role: Role;
}

export interface SharedPlace extends Named<'shared'> {
  /** The segment after `/s/`, which may be anything. */
  readonly idText: string;
  readonly query: string;
  /** In origin mode: the path and query after the id. They lead into the site, as the query parameter `to` does otherwise. */
  readonly inside?: string;
}

export interface NamePlace extends Named<'name', null> {
  /** The segment after `/n/`: a name, `-` and its token, or anything else. */
  readonly segment: string;
  /** The path and the query that follow it; either may be empty. */
  readonly inside: string;
}

/** A path inside a site, below its shared URL (path mode). */
export interface PathPlace extends Named<'path'> {
  readonly idText: string;
  /** The rest after the shared URL: a path that begins with `/`, and a query. */
  readonly inside: string;
}

export interface OriginPlace extends Named<'origin', RoleId> {
  readonly target: Target;
  readonly pathAndQuery: string;
}

/** `unreadable`: ambiguous or malformed; `misdirected`: below the sites' host but not a site; `nowhere`: neither a shared URL nor a site. */
type NoPlace = Named<'unreadable', null> | Named<'misdirected', null> | Named<'nowhere', null>;

const NO_PLACE = { route: 'none', role: null } as const;

export const UNREADABLE: NoPlace = { kind: 'unreadable', ...NO_PLACE };

export function findPlace(settings: Settings, request: IncomingMessage): Place {
  const read = readTarget(targetOf(request), hostOf(request.headers));
  if (read === undefined) return UNREADABLE;
  const { path: pathAndQuery, host } = read;
  if (settings.mode === 'origin') {
    const role = siteOfHost(host, settings.sitesHostname);
    if (role !== undefined) return placeOnOrigin(role, pathAndQuery);
    // No other page is served below the sites' host, where it would share its domain with the sites.
    if (isBelowHost(host, settings.sitesHostname) && !isHost(host, settings.publicHostname)) {
      return { kind: 'misdirected', ...NO_PLACE };
    }
  }
  if (pathAndQuery.startsWith(settings.sharedPath)) {
    return placeShared(settings, pathAndQuery.slice(settings.sharedPath.length));
  }
  if (pathAndQuery.startsWith(settings.namePath)) {
    const rest = pathAndQuery.slice(settings.namePath.length);
    const [segment = ''] = rest.split(/[/?]/, 1);
    return { kind: 'name', route: 'name', role: null, segment, inside: rest.slice(segment.length) };
  }
  return { kind: 'nowhere', ...NO_PLACE };
}

function placeOnOrigin(role: RoleId, pathAndQuery: string): OriginPlace {
  const target = splitTarget(pathAndQuery);
  const route = target.path === HAND_OVER_PATH ? 'hand_over' : 'site';
  return { kind: 'origin', route, role, target, pathAndQuery };
}

/** @param rest what follows `/s/`. */
function placeShared({ mode }: Settings, rest: string): SharedPlace | PathPlace {
  const end = rest.search(/[/?]/);
  if (rest[end] === '/') {
    const idText = rest.slice(0, end);
    const place = { role: parseRoleId(idText) ?? null, idText, inside: rest.slice(end) };
    return mode === 'path'
      ? { kind: 'path', route: 'site', ...place }
      : { kind: 'shared', route: 'shared_url', query: '', ...place };
  }
  const { path: idText, query } = splitTarget(rest);
  return { kind: 'shared', route: 'shared_url', role: parseRoleId(idText) ?? null, idText, query };
}

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
