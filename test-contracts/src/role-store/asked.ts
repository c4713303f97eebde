import {
  type ArchiveId,
  after,
  days,
  type Instant,
  type Page,
  type Role,
  type RoleId,
  type RoleQuery,
  type RoleStore,
} from '@pinfold/core';
import { START } from '../fixtures/clock.ts';
import { ACCOUNT } from '../fixtures/roles.ts';

/** A question for all roles of the fixtures' account, unless told otherwise. */
export function asks(more: Partial<RoleQuery> = {}): RoleQuery {
  return {
    account: ACCOUNT,
    now: START,
    state: undefined,
    idempotencyKey: undefined,
    search: undefined,
    order: undefined,
    after: undefined,
    limit: 100,
    ...more,
  };
}

export function idsOf(page: Page<Role>): readonly RoleId[] {
  return page.items.map(({ id }) => id);
}

/** The ids of roles in the order in which lists have them. */
export function newestFirst(roles: readonly Role[]): readonly RoleId[] {
  const order = (one: Role, other: Role): number =>
    other.publishedAt - one.publishedAt || (one.id > other.id ? -1 : 1);
  return [...roles].sort(order).map(({ id }) => id);
}

/** More pages than any clause publishes roles: of a search each may have looked at one alone. */
const MOST_PAGES = 5_000;

/** All pages of a query, and what happens between them. */
export async function walk(
  port: RoleStore,
  query: RoleQuery,
  between: (page: number) => Promise<unknown> = async () => undefined,
): Promise<readonly Page<Role>[]> {
  const pages: Page<Role>[] = [];
  let next = query.after;
  do {
    const page = await port.list({ ...query, after: next });
    pages.push(page);
    next = page.next;
    await between(pages.length);
    if (pages.length > MOST_PAGES) throw new Error('a walk does not end');
  } while (next !== undefined);
  return pages;
}

/** All that a query finds, in pages that may be short. */
export async function everything(port: RoleStore, query: RoleQuery): Promise<readonly Role[]> {
  return (await walk(port, query)).flatMap(({ items }) => items);
}

/** Every archive that records name, behind one or from the first on, by pages of a size. */
export async function walkArchives(
  port: RoleStore,
  limit: number,
  after?: ArchiveId,
): Promise<readonly ArchiveId[]> {
  const walked: ArchiveId[] = [];
  for (let page = await port.listArchives(after, limit); page.length > 0; ) {
    walked.push(...page);
    if (page.length > limit || walked.length > 10_000) throw new Error('a walk does not end');
    page = await port.listArchives(walked.at(-1), limit);
  }
  return walked;
}

/** When all that fixtures publish has ended. */
export const END: Instant = after(START, days(7));
