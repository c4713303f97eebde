import { parseRoleId, type RoleId } from '@pinfold/core';
import { parseNameSegment } from '@pinfold/core/internal';
import { CommandFailure, UsageError } from '../command-line/failures.ts';

/** What an argument names: a publication, or a name that shows one. `base`: host and path of the public URL. */
export type Reference =
  | { readonly kind: 'publication'; readonly id: RoleId; readonly base?: string; readonly siteHost?: string }
  | { readonly kind: 'name'; readonly segment: string; readonly base: string };

/** Looks up what a reference leaves open, on the server that the command works with. */
export interface ReferenceLookup {
  /** The public URL of the server; `undefined` if it is not known. Throws if the server has no such publication. */
  publicUrlFor(id: RoleId): Promise<string | undefined>;
  /** The host of the publication's site; `undefined` if it is not known. */
  siteHostFor(id: RoleId): Promise<string | undefined>;
  /** The publication that the name of this URL's segment shows, whatever the spelling. Throws if the server has none. */
  shownBy(segment: string): Promise<string>;
}

/** Reads an id or a URL of a publication or name; else a UsageError that calls it `name`, without the text. */
export function readReference(text: string, name: string = 'ID'): Reference {
  const id = parseRoleId(text);
  if (id !== undefined) return { kind: 'publication', id };
  const [, host = '', path = ''] = /^(?:https?:\/\/)?([^/?#]*)([^?#]*)/i.exec(text) ?? [];
  const [, below = '', kind, segment = ''] = /^(.*?)\/([sn])\/([^/]+)/.exec(path) ?? [];
  const base = `${host.toLowerCase()}${below}`;
  if (kind === 'n' && parseNameSegment(segment) !== undefined) return { kind: 'name', segment, base };
  const shared = kind === 's' ? parseRoleId(segment) : undefined;
  if (shared !== undefined) return { kind: 'publication', id: shared, base };
  const ofSite = parseRoleId(host.replace(/\..*/s, ''));
  if (ofSite !== undefined) return { kind: 'publication', id: ofSite, siteHost: host.toLowerCase() };
  throw new UsageError(`${name} must be a shared URL, the URL of a site or of a name, or a UUID`);
}

/** Resolves a reference to an id. The server of a URL is never asked: it may be another one. */
export async function resolveReference(reference: Reference, lookup: ReferenceLookup): Promise<RoleId> {
  if (reference.kind === 'publication') {
    const { id, base, siteHost } = reference;
    if (base !== undefined) expectSame(base, await lookup.publicUrlFor(id));
    if (siteHost !== undefined && siteHost !== ((await lookup.siteHostFor(id)) ?? siteHost))
      throw elsewhere();
    return id;
  }
  const shown = parseRoleId(await lookup.shownBy(reference.segment));
  if (shown === undefined) throw elsewhere();
  expectSame(reference.base, await lookup.publicUrlFor(shown));
  return shown;
}

function expectSame(base: string, publicUrl: string | undefined): void {
  if (publicUrl === undefined) return;
  const { host, pathname } = new URL(publicUrl);
  if (base !== `${host}${pathname.replace(/\/$/, '')}`) throw elsewhere();
}

function elsewhere(): CommandFailure {
  return new CommandFailure('The URL is not one of the server that this command works with.', 'not_found');
}
