import { parseRoleId, type RoleId } from '@pinfold/core';
import { parseNameSegment } from '@pinfold/core/internal';
import { CommandFailure, UsageError } from '../command-line/failures.ts';

/** A publication, or a name that shows one, as an argument refers to it. `base`: host and path of the public URL. */
export type Reference =
  | { readonly kind: 'publication'; readonly id: RoleId; readonly base?: string; readonly siteHost?: string }
  | { readonly kind: 'name'; readonly segment: string; readonly base: string };

/** Looks up details of a reference on the server that the command works with. */
export interface ReferenceLookup {
  /** The public URL of the server; `undefined` if it is not known. Throws if the server has no such publication. */
  publicUrlFor(id: RoleId): Promise<string | undefined>;
  /** The host of the publication's site; `undefined` if it is not known. */
  siteHostFor(id: RoleId): Promise<string | undefined>;
  /** The publication that a name shows, by the name's URL segment in any spelling. Throws if the server has no such name. */
  findShown(segment: string): Promise<string>;
}

/** Parses an id or a URL of a publication, site or name; throws a UsageError that does not repeat the text. */
export function readReference(text: string, name: string = 'ID'): Reference {
  const id = parseRoleId(text);
  if (id !== undefined) return { kind: 'publication', id };
  const [, origin = '', scheme, path = ''] = /^((https?:\/\/)?[^/?#]*)([^?#]*)/i.exec(text) ?? [];
  // In the form of the public URL: lower case, in ASCII, without a default port.
  const host = URL.parse(scheme === undefined ? `https://${origin}` : origin)?.host ?? '';
  const [, below = '', kind, segment = ''] = /^(.*?)\/([sn])\/([^/]+)/.exec(path) ?? [];
  const base = `${host}${below}`;
  if (kind === 'n' && parseNameSegment(segment) !== undefined) return { kind: 'name', segment, base };
  const sharedId = kind === 's' ? parseRoleId(segment) : undefined;
  if (sharedId !== undefined) return { kind: 'publication', id: sharedId, base };
  const siteId = parseRoleId(host.replace(/\..*/s, ''));
  if (siteId !== undefined) return { kind: 'publication', id: siteId, siteHost: host };
  throw new UsageError(`${name} must be a shared URL, the URL of a site or of a name, or a UUID`);
}

/** Resolves a reference to an id. Never sends a request to the host of a URL, which may be any server. */
export async function resolveReference(reference: Reference, lookup: ReferenceLookup): Promise<RoleId> {
  if (reference.kind === 'publication') {
    const { id, base, siteHost } = reference;
    if (base !== undefined) checkSameServer(base, await lookup.publicUrlFor(id));
    if (siteHost !== undefined && siteHost !== ((await lookup.siteHostFor(id)) ?? siteHost))
      throw otherServerError();
    return id;
  }
  const shown = parseRoleId(await lookup.findShown(reference.segment));
  if (shown === undefined) throw otherServerError();
  checkSameServer(reference.base, await lookup.publicUrlFor(shown));
  return shown;
}

function checkSameServer(base: string, publicUrl: string | undefined): void {
  if (publicUrl === undefined) return;
  const { host, pathname } = new URL(publicUrl);
  if (base !== `${host}${pathname.replace(/\/$/, '')}`) throw otherServerError();
}

function otherServerError(): CommandFailure {
  return new CommandFailure('The URL is not one of the server that this command works with.', 'not_found');
}
