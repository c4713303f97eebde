import type { FeedId } from '@pinfold/core';
import { createStores, STORE_SCHEMA } from '@pinfold/core/internal';
import type { Database } from '@pinfold/core/records';
import { createMemoryDatabase } from '@pinfold/memory';
import {
  accountStoreContract,
  apiKeyStoreContract,
  attemptCounterContract,
  type Contract,
  checkApiKeyStoreSequences,
  checkAttemptCounterSequences,
  checkRoleStoreSequences,
  checkSessionStoreSequences,
  historyStoreContract,
  importContract,
  nameStoreContract,
  pairingStoreContract,
  roleStoreContract,
  type StoreSubject,
  serviceModeContract,
  sessionStoreContract,
  snapshotContract,
  takedownStoreContract,
  viewStoreContract,
} from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';

const NAME = 'Stores over a database in memory';

type Stores = ReturnType<typeof createStores>;

function storesOver(database: Database): Stores {
  return createStores(database, () => crypto.randomUUID().replaceAll('-', '') as FeedId);
}

/** Opens one of the stores, or several. The memory checks that every program holds the locks that it needs. */
function opening<Port>(portOf: (stores: Stores) => Port): () => Promise<StoreSubject<Port>> {
  return async () => {
    const database = createMemoryDatabase(STORE_SCHEMA);
    const closed = database.peer();
    await closed.close();
    return {
      port: portOf(storesOver(database)),
      peer: async () => portOf(storesOver(database.peer())),
      unreachable: async () => portOf(storesOver(closed)),
      history: async () => storesOver(database).history,
      dispose: () => database.close(),
    };
  };
}

function check<Port>(contract: Contract<Port, StoreSubject<Port>>, portOf: (stores: Stores) => Port): void {
  describeContract(contract, { name: NAME, create: opening(portOf) });
}

check(roleStoreContract, ({ roles }) => roles);
check(accountStoreContract, (stores) => stores);
check(apiKeyStoreContract, ({ apiKeys }) => apiKeys);
check(attemptCounterContract, ({ attempts }) => attempts);
check(sessionStoreContract, ({ sessions }) => sessions);
check(pairingStoreContract, (stores) => stores);
check(historyStoreContract, (stores) => stores);
check(serviceModeContract, (stores) => stores);
check(takedownStoreContract, (stores) => stores);
check(nameStoreContract, (stores) => stores);
check(viewStoreContract, ({ views }) => views);
check(snapshotContract, (stores) => stores);
check(importContract, (stores) => stores);

describe(`${NAME} in random runs`, function () {
  this.timeout(300_000);
  const options = { runs: 100 };

  it('keep their promises: roles', () =>
    checkRoleStoreSequences(
      opening(({ roles }) => roles),
      options,
    ));

  it('keep their promises: keys', () =>
    checkApiKeyStoreSequences(
      opening(({ apiKeys }) => apiKeys),
      options,
    ));

  it('keep their promises: tries', () =>
    checkAttemptCounterSequences(
      opening(({ attempts }) => attempts),
      options,
    ));

  it('keep their promises: sessions', () =>
    checkSessionStoreSequences(
      opening(({ sessions }) => sessions),
      options,
    ));
});
