import type { RequestContext } from './request-context.ts';

export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string;
}

export const PAGE_SIZE = 50;

const MAX_SEARCH_LENGTH = 255;

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
