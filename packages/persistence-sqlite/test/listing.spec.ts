import { join } from 'node:path';
import { after, duration, type RoleCursor, type RoleId, type Title } from '@pinfold/core';
import { ACCOUNT, aRole, aRoleId, START } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { SqliteConnection } from '../src/engine/sqlite-connection.ts';
import { inFolder } from './in-folder.ts';
import { stock } from './stock.ts';
import { storesOver } from './stores-over.ts';

const MANY = 4_500;
/** Roles that a search finds: the newest, one in the middle, and the oldest two. */
const RARE = [0, 2_100, MANY - 2, MANY - 1];

describe('A search of many roles on SQLite', () => {
  it('reads 2,000 roles for one page, and continues from there', () =>
    inFolder(async (folder) => {
      const connection = new SqliteConnection(join(folder, 'pinfold.sqlite'), async () => {});
      const { roles: store, imports, migrate } = storesOver(connection);
      await migrate();
      const roles = Array.from({ length: MANY }, (_, n) => {
        const title = (RARE.includes(n) ? `The one with 100_%` : `Site ${n}`) as Title;
        return aRole(n, { title, publishedAt: after(START, duration(MANY - n)) });
      });
      await stock(imports, roles);
      const some = { account: ACCOUNT, now: START, state: undefined, idempotencyKey: undefined };
      const query = { ...some, search: '100_%', order: undefined, limit: 3 };
      const pages: RoleId[][] = [];
      let next: RoleCursor | undefined;
      do {
        const page = await store.list({ ...query, after: next });
        pages.push(page.items.map(({ id }) => id));
        next = page.next;
      } while (next !== undefined);
      expect(pages).to.deep.equal([[0], [2_100], [MANY - 2, MANY - 1]].map((page) => page.map(aRoleId)));
      connection.close();
    }));
});
