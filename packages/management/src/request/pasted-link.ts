import { type NameToken, parseRoleId } from '@pinfold/core';
import { parseNameSegment } from '@pinfold/core/internal';

const HOST_AND_PATH = /^(?:https?:\/\/)?([^/?#]+)([^?#]*)/i;
const SHARED = /\/([sn])\/([^/]+)/;

/** The target of a link that a person pastes: a publication, or a name that shows one. */
type PastedLink = { readonly id: string } | { readonly name: string; readonly token: NameToken } | undefined;

/** Reads the shared URL of a publication, the URL of its site, or that of a name; `undefined` for other texts. */
export function readPastedLink(text: string): PastedLink {
  const [, host = '', path = ''] = HOST_AND_PATH.exec(text) ?? [];
  const [, kind, segment = ''] = SHARED.exec(path) ?? [];
  const name = kind === 'n' ? parseNameSegment(segment) : undefined;
  if (name !== undefined) return { name: name.spelling, token: name.token };
  const site = host.includes('.') ? host.slice(0, host.indexOf('.')) : '';
  const id = parseRoleId(kind === 's' ? segment : site);
  return id === undefined ? undefined : { id };
}
