import { type NameToken, parseRoleId } from '@pinfold/core';
import { parseNameSegment } from '@pinfold/core/internal';
import type { RequestContext } from './request-context.ts';

export const PAGE_SIZE = 50;

const MAX_SEARCH_LENGTH = 255;

const HOST_AND_PATH = /^(?:https?:\/\/)?([^/?#]+)([^?#]*)/i;
const SHARED = /\/([sn])\/([^/]+)/;

export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string;
}

export function pageRequest(context: RequestContext, limit: number = PAGE_SIZE): PageRequest {
  const { cursor } = context.query;
  return typeof cursor === 'string' ? { limit, cursor } : { limit };
}

export function queryText({ query }: RequestContext, name: string): string {
  const value = query[name];
  return typeof value === 'string' ? value.trim() : '';
}

export function searchText(context: RequestContext): string {
  return queryText(context, 'q').slice(0, MAX_SEARCH_LENGTH);
}

type Present<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined | ''> };

export function omitEmpty<Members extends Readonly<Record<string, unknown>>>(
  members: Members,
): Present<Members> {
  const some = Object.entries(members).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(some) as Present<Members>;
}

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
