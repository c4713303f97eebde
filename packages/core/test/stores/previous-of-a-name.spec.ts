import { createMemoryDatabase } from '@pinfold/memory';
import { ACCOUNT, anEvent, aPublication, aRoleId, publishTo, START } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import type { NameToken, PinName, RoleId } from '../../src/index.ts';
import { NAMES } from '../../src/records/tables/role-tables.ts';
import { defineQuery, find } from '../../src/records.ts';
import { createStores, STORE_SCHEMA } from '../../src/stores/create-stores.ts';

const NAME = 'docs' as PinName;
const TOKEN = '0123456789abcdefghijkl' as NameToken;

const shown = defineQuery('test.shown', (name: PinName) =>
  find(NAMES, { name }, { select: ['role', 'previous'] }),
);

function openStores() {
  const database = createMemoryDatabase(STORE_SCHEMA);
  const stores = createStores(database, () => {
    throw new Error('nobody reads the feed');
  });
  const point = (role: RoleId) =>
    stores.names.set({ account: ACCOUNT, name: NAME, token: TOKEN, role, now: START, limit: null }, [
      anEvent(),
    ]);
  return { ...stores, point, row: async () => (await database.read(shown, NAME))[0] };
}

describe('what a name showed before it was last moved', () => {
  it('is nothing at first, and is stored with each move', async () => {
    const { roles, point, row } = openStores();
    for (const n of [1, 2, 3]) await publishTo(roles, aPublication(n));
    await point(aRoleId(1));
    expect(await row()).to.deep.equal({ role: aRoleId(1), previous: null });
    await point(aRoleId(2));
    expect(await row()).to.deep.equal({ role: aRoleId(2), previous: aRoleId(1) });
    await point(aRoleId(2));
    expect(await row(), 'the same again').to.deep.equal({ role: aRoleId(2), previous: aRoleId(1) });
    await point(aRoleId(3));
    expect(await row()).to.deep.equal({ role: aRoleId(3), previous: aRoleId(2) });
  });

  it('is stored with a publication', async () => {
    const { roles, point, row } = openStores();
    await publishTo(roles, aPublication(1));
    await point(aRoleId(1));
    await publishTo(roles, { ...aPublication(2), name: { name: NAME, token: TOKEN } });
    expect(await row()).to.deep.equal({ role: aRoleId(2), previous: aRoleId(1) });
  });
});
