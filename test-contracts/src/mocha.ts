import type { ArchiveStorage } from '@pinfold/core';
import type { StoreName } from '@pinfold/core/adapter';
import type { Database, DatabaseSchema } from '@pinfold/core/records';
import { describe, it } from 'mocha';
import { accountStoreContract } from './account-store/contract.ts';
import { apiKeyStoreContract } from './api-key-store/contract.ts';
import { checkApiKeyStoreSequences } from './api-key-store/sequences.ts';
import { archiveStorageContract } from './archive-storage/contract.ts';
import { checkArchiveStorageSequences } from './archive-storage/sequences.ts';
import type { ArchiveStorageSubject } from './archive-storage/subject.ts';
import { attemptCounterContract } from './attempt-counter/contract.ts';
import { checkAttemptCounterSequences } from './attempt-counter/sequences.ts';
import { bindContract } from './bind-contract.ts';
import type { Contract, ContractOptions, StoreSubject, Subject } from './contract.ts';
import { LIBRARY } from './database/commands.ts';
import { databaseContract } from './database/contract.ts';
import { checkRandomPrograms, type RandomProgramOptions } from './database/random.ts';
import { historyStoreContract } from './history-store/contract.ts';
import { importContract } from './moving/import.ts';
import { snapshotContract } from './moving/snapshot.ts';
import { nameStoreContract } from './name-store/contract.ts';
import { pairingStoreContract } from './pairing-store/contract.ts';
import { roleStoreContract } from './role-store/contract.ts';
import { checkRoleStoreSequences, type ModelOptions } from './role-store-model/sequences.ts';
import { serviceModeContract } from './service-mode/contract.ts';
import { sessionStoreContract } from './session-store/contract.ts';
import { checkSessionStoreSequences } from './session-store/sequences.ts';
import type { Stores } from './stores.ts';
import { takedownStoreContract } from './takedown-store/contract.ts';
import { viewStoreContract } from './view-store/contract.ts';

export type { Stores } from './stores.ts';

/** What {@link describeArchiveStorage} needs. */
export interface MochaArchiveStorageOptions
  extends MochaContractOptions<ArchiveStorage, ArchiveStorageSubject> {
  /** How many random sequences to try; 100 when absent. */
  readonly runs?: number;
}

/**
 * Declares the clauses of `archiveStorageContract` and a test of random sequences of calls as mocha tests.
 *
 * @example
 * import { describeArchiveStorage } from '@pinfold/test-contracts/mocha';
 * import type { ArchiveStorageSubject } from '@pinfold/test-contracts';
 *
 * declare const create: () => Promise<ArchiveStorageSubject>;
 *
 * describeArchiveStorage({ name: 'MyArchiveStorage', create, runs: 20 });
 */
export function describeArchiveStorage(options: MochaArchiveStorageOptions): void {
  const { create, runs = 100 } = options;
  const random = {
    id: 'archive-storage/random',
    says: 'it answers as the storage in memory after any sequence of calls',
    check: () => checkArchiveStorageSequences(create, { runs }),
  };
  const { clauses } = archiveStorageContract;
  describeContract({ ...archiveStorageContract, clauses: [...clauses, random] }, options);
}

/** {@link ContractOptions} with what mocha adds. */
export interface MochaContractOptions<Port, S extends Subject<Port> = Subject<Port>>
  extends ContractOptions<Port, S> {
  /** The longest one clause may take, in milliseconds; 300,000 when absent. */
  readonly timeout?: number;
  /** Checks only the clauses whose id it matches: for a second setup of an implementation. */
  readonly clauses?: RegExp;
}

/**
 * Declares a contract's clauses as mocha tests, with a time limit for each.
 *
 * @example
 * import type { RoleStore } from '@pinfold/core';
 * import { roleStoreContract, type Subject } from '@pinfold/test-contracts';
 * import { describeContract } from '@pinfold/test-contracts/mocha';
 *
 * declare const create: () => Promise<Subject<RoleStore>>;
 *
 * describeContract(roleStoreContract, { name: 'MyRoleStore', create });
 */
export function describeContract<Port, S extends Subject<Port>>(
  contract: Contract<Port, S>,
  options: MochaContractOptions<Port, S>,
): void {
  const { clauses: chosen = /./ } = options;
  const isChosen = ({ id }: { readonly id: string }): boolean => chosen.test(id);
  const [harness, clauses] = [contract.harness.filter(isChosen), contract.clauses.filter(isChosen)];
  if (harness.length + clauses.length === 0) return;
  bindContract({ ...contract, harness, clauses }, options, {
    describe: (title, body) =>
      describe(title, function () {
        this.timeout(options.timeout ?? 300_000);
        body();
      }),
    it,
  });
}

/** What {@link describeDatabase} needs. */
export interface MochaDatabaseOptions extends Pick<RandomProgramOptions, 'runs'> {
  /** The database's name, for reports: `SQLite`. */
  readonly name: string;
  /** Opens an empty database of its own, migrated, for the tables of the suite. Called for each promise. */
  readonly open: (schema: DatabaseSchema) => Promise<StoreSubject<Database>>;
  /** Checks only the promises whose id it matches, and no random programs: for a second setup of an engine. */
  readonly clauses?: RegExp;
  /** The longest one promise may take, in milliseconds; 300,000 when absent. */
  readonly timeout?: number;
}

/**
 * Declares the promises of a `Database`, and a run of random programs against the one in memory, as mocha tests.
 *
 * @example
 * import type { Database, DatabaseSchema } from '@pinfold/core/records';
 * import type { StoreSubject } from '@pinfold/test-contracts';
 * import { describeDatabase } from '@pinfold/test-contracts/mocha';
 *
 * declare const open: (schema: DatabaseSchema) => Promise<StoreSubject<Database>>;
 *
 * describeDatabase({ name: 'MyDatabase', open, runs: 20 });
 */
export function describeDatabase(options: MochaDatabaseOptions): void {
  const { open, clauses, runs = 100 } = options;
  const create = (): Promise<StoreSubject<Database>> => open(LIBRARY);
  const random = {
    id: 'database/random',
    says: 'random programs come to what they come to in memory',
    check: () => checkRandomPrograms(create, { runs }),
  };
  const further = clauses === undefined ? [random] : [];
  describeContract(
    { ...databaseContract, clauses: [...databaseContract.clauses, ...further] },
    { ...options, create },
  );
}

type Open = () => Promise<StoreSubject<Stores>>;
type Sequence = 'apiKeys' | 'attempts' | 'roles' | 'sessions';

/** What {@link describeStores} needs. */
export interface MochaStoresOptions {
  /** The database's name, for reports: `SQLite`. */
  readonly name: string;
  /** Opens all stores over an empty database of their own. Called for each clause and each random run. */
  readonly open: Open;
  /** How many random runs to try of each kind; 100 when absent. */
  readonly runs?: Partial<Readonly<Record<Sequence, number>>>;
  /** Checks only the clauses whose id it matches, and no random runs: for a second setup of a database. */
  readonly clauses?: RegExp;
  /** The longest one clause may take, in milliseconds; 300,000 when absent. */
  readonly timeout?: number;
}

/** By the store that each is about, in the order in which they run: this does not compile when one is missing. */
const CONTRACTS = Object.values({
  roles: contractOf(roleStoreContract, ({ roles }) => roles),
  accounts: contractOf(accountStoreContract, (stores) => stores),
  apiKeys: contractOf(apiKeyStoreContract, ({ apiKeys }) => apiKeys),
  attempts: contractOf(attemptCounterContract, ({ attempts }) => attempts),
  sessions: contractOf(sessionStoreContract, ({ sessions }) => sessions),
  pairings: contractOf(pairingStoreContract, (stores) => stores),
  history: contractOf(historyStoreContract, (stores) => stores),
  mode: contractOf(serviceModeContract, (stores) => stores),
  takedowns: contractOf(takedownStoreContract, (stores) => stores),
  names: contractOf(nameStoreContract, (stores) => stores),
  views: contractOf(viewStoreContract, ({ views }) => views),
  snapshot: contractOf(snapshotContract, (stores) => stores),
  imports: contractOf(importContract, (stores) => stores),
} satisfies Record<StoreName, unknown>);

const SEQUENCES: Readonly<Record<Sequence, (open: Open, options: ModelOptions) => Promise<void>>> = {
  roles: sequenceOf(checkRoleStoreSequences, ({ roles }) => roles),
  apiKeys: sequenceOf(checkApiKeyStoreSequences, ({ apiKeys }) => apiKeys),
  attempts: sequenceOf(checkAttemptCounterSequences, ({ attempts }) => attempts),
  sessions: sequenceOf(checkSessionStoreSequences, ({ sessions }) => sessions),
};

/**
 * Declares every contract of a persistence, and its random runs, as mocha tests.
 *
 * @example
 * import type { StoreSubject } from '@pinfold/test-contracts';
 * import { describeStores, type Stores } from '@pinfold/test-contracts/mocha';
 *
 * declare const open: () => Promise<StoreSubject<Stores>>;
 *
 * describeStores({ name: 'MyDatabase', open, runs: { roles: 20 } });
 */
export function describeStores(options: MochaStoresOptions): void {
  const { name, open, clauses, runs = {} } = options;
  for (const declare of CONTRACTS) declare(options);
  if (clauses !== undefined) return;
  describe(`${name} in random runs`, function () {
    this.timeout(300_000);
    for (const [sequence, check] of Object.entries(SEQUENCES)) {
      it(`keeps its promises: ${sequence}`, () => check(open, { runs: runs[sequence as Sequence] ?? 100 }));
    }
  });
}

function contractOf<Port>(contract: Contract<Port, StoreSubject<Port>>, portOf: (stores: Stores) => Port) {
  return (options: MochaStoresOptions): void =>
    describeContract(contract, { ...options, create: subjectsOf(options.open, portOf) });
}

function sequenceOf<Port>(
  check: (create: () => Promise<StoreSubject<Port>>, options: ModelOptions) => Promise<void>,
  portOf: (stores: Stores) => Port,
) {
  return (open: Open, options: ModelOptions): Promise<void> => check(subjectsOf(open, portOf), options);
}

function subjectsOf<Port>(open: Open, portOf: (stores: Stores) => Port): () => Promise<StoreSubject<Port>> {
  return async () => {
    const subject = await open();
    return {
      port: portOf(subject.port),
      peer: async () => portOf(await subject.peer()),
      unreachable: async () => portOf(await subject.unreachable()),
      history: async () => subject.port.history,
      dispose: () => subject.dispose(),
    };
  };
}
