import type { FeedId, RoleStore } from '@pinfold/core';
import { HISTORY_PROGRAMS, historyStore, ROLE_PROGRAMS, roleStore } from '@pinfold/core/internal';
import { TABLES } from '@pinfold/core/records';
import { createMemoryDatabase, type MemoryDatabase } from '@pinfold/memory';
import { checkRoleStoreSequences, roleStoreContract, type StoreSubject } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';

const NAME = 'RoleStore over a database in memory';

/** Which checks that every program holds its locks. */
async function create(): Promise<StoreSubject<RoleStore>> {
  const programs = [...ROLE_PROGRAMS, ...HISTORY_PROGRAMS];
  const database: MemoryDatabase = createMemoryDatabase({ tables: TABLES, programs });
  const newFeed = () => crypto.randomUUID().replaceAll('-', '') as FeedId;
  const closed = database.peer();
  await closed.close();
  return {
    port: roleStore(database),
    peer: async () => roleStore(database.peer()),
    unreachable: async () => roleStore(closed),
    history: async () => historyStore(database, newFeed),
    dispose: () => database.close(),
  };
}

describeContract(roleStoreContract, { name: NAME, create });

describe(NAME, function () {
  this.timeout(300_000);

  it('keeps its promises in random runs', () => checkRoleStoreSequences(create, { runs: 100 }));
});
