import type { RequestContext } from './request-context.ts';

export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string;
}

export const PAGE_SIZE = 50;

const LONGEST_SEARCH = 255;

export function pageRequest(visit: RequestContext, limit: number = PAGE_SIZE): PageRequest {
  const { cursor } = visit.request.query;
  return typeof cursor === 'string' ? { limit, cursor } : { limit };
}

export function queryText({ request }: RequestContext, name: string): string {
  const value = request.query[name];
  return typeof value === 'string' ? value.trim() : '';
}

export function searchText(visit: RequestContext): string {
  return queryText(visit, 'q').slice(0, LONGEST_SEARCH);
}

export function present<Members extends Readonly<Record<string, unknown>>>(
  members: Members,
): { [Name in keyof Members]?: Exclude<Members[Name], undefined | ''> } {
  const some = Object.entries(members).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(some) as { [Name in keyof Members]?: Exclude<Members[Name], undefined | ''> };
}
