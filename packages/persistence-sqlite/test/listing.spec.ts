import { join } from 'node:path';
import {
  after,
  days,
  duration,
  type Page,
  type Role,
  type RoleCursor,
  type RoleQuery,
  type RoleStore,
  type Title,
} from '@pinfold/core';
import { ACCOUNT, aRole, START } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { SqliteConnection } from '../src/engine/sqlite-connection.ts';
import { migrate } from '../src/schema/migrate.ts';
import { sqliteRoleStore } from '../src/stores/sqlite-role-store.ts';
import { inFolder } from './in-folder.ts';
import { stock } from './stocked.ts';

const MANY = 4_500;
/** Roles that a filter finds: the first, one in the middle, and the last two of all. */
const RARE = [0, 2_100, MANY - 2, MANY - 1];
const LATER = after(START, days(1));

/** Newest first, all expired but the rare ones. */
function aLongLife(n: number): Role {
  const rare = RARE.includes(n);
  return aRole(n, {
    title: (rare ? `The one with 100_% and number ${n}` : `Site ${n}`) as Title,
    publishedAt: after(START, duration(MANY - n)),
    expiresAt: rare ? null : LATER,
    pinned: rare,
  });
}

async function onStage(play: (store: RoleStore) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    const connection = new SqliteConnection(join(folder, 'pinfold.sqlite'), async () => {});
    await migrate(connection);
    await stock(
      connection,
      Array.from({ length: MANY }, (_, n) => aLongLife(n)),
    );
    await play(sqliteRoleStore(connection));
    connection.close();
  });
}

function aQuery(more: Partial<RoleQuery>): RoleQuery {
  return {
    account: ACCOUNT,
    now: LATER,
    state: undefined,
    idempotencyKey: undefined,
    search: undefined,
    order: undefined,
    after: undefined,
    limit: 3,
    ...more,
  };
}

async function pagesOf(store: RoleStore, more: Partial<RoleQuery>): Promise<readonly Page<Role>[]> {
  const pages: Page<Role>[] = [];
  let after: RoleCursor | undefined;
  do {
    const page = await store.list(aQuery({ ...more, after }));
    pages.push(page);
    after = page.next;
  } while (after !== undefined);
  return pages;
}

const idsOf = (pages: readonly Page<Role>[]): readonly string[] =>
  pages.flatMap((page) => page.items.map((role) => role.id));
const rareIds = RARE.map((n) => aLongLife(n).id);

describe('A long list of roles', () => {
  it('looks at 2,000 roles for one page of a search, and leads on from there', () =>
    onStage(async (store) => {
      const pages = await pagesOf(store, { search: '100_%' });
      expect(pages.map((page) => page.items.length)).to.deep.equal([1, 1, 2]);
      expect(idsOf(pages)).to.deep.equal(rareIds);
    }));
});
