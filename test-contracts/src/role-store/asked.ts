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
import { walk, walkPages } from '../walk.ts';

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

/** All pages of a query, and what happens between them. */
export async function walkList(
  port: RoleStore,
  query: RoleQuery,
  between?: (page: number) => Promise<unknown>,
): Promise<readonly Page<Role>[]> {
  return await walkPages((after) => port.list({ ...query, after }), { after: query.after, between });
}

/** All that a query finds, in pages that may be short. */
export async function everything(port: RoleStore, query: RoleQuery): Promise<readonly Role[]> {
  return (await walkList(port, query)).flatMap(({ items }) => items);
}

/** Every archive that records name, behind one or from the first on, by pages of a size. */
export async function walkArchives(
  port: RoleStore,
  limit: number,
  after?: ArchiveId,
): Promise<readonly ArchiveId[]> {
  return await walk(limit, (last) => port.listArchives(last, limit), { after, upTo: 'empty' });
}

/** When all that fixtures publish has ended. */
export const END: Instant = after(START, days(7));
