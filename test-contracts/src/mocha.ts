import type { ArchiveStorage } from '@pinfold/core';
import type { Database, DatabaseSchema } from '@pinfold/core/records';
import { describe, it } from 'mocha';
import { type ArchiveStorageSubject, archiveStorageContract } from './archive-storage/contract.ts';
import { checkArchiveStorageSequences } from './archive-storage/sequences.ts';
import {
  bindContract,
  type Contract,
  type ContractOptions,
  type StoreSubject,
  type Subject,
} from './contract.ts';
import { LIBRARY } from './database/commands.ts';
import { databaseContract } from './database/contract.ts';
import { checkRandomPrograms, type RandomProgramOptions } from './database/random.ts';

/** The options of {@link describeArchiveStorage}. */
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
    text: 'it answers as the storage in memory after any sequence of calls',
    check: () => checkArchiveStorageSequences(create, { runs }),
  };
  const { clauses } = archiveStorageContract;
  describeContract({ ...archiveStorageContract, clauses: [...clauses, random] }, options);
}

/** {@link ContractOptions} with what mocha adds. */
export interface MochaContractOptions<Port, S extends Subject<Port> = Subject<Port>>
  extends ContractOptions<Port, S> {
  /** The time limit of one clause, in milliseconds; 300,000 when absent. */
  readonly timeout?: number;
  /** Checks only the clauses whose id matches: for a second setup of an implementation. */
  readonly clauses?: RegExp;
}

/**
 * Declares a contract's clauses as mocha tests, with a time limit for each.
 *
 * @example
 * import type { ApiKeyStore } from '@pinfold/core';
 * import { apiKeyStoreContract, type StoreSubject } from '@pinfold/test-contracts';
 * import { describeContract } from '@pinfold/test-contracts/mocha';
 *
 * declare const create: () => Promise<StoreSubject<ApiKeyStore>>;
 *
 * describeContract(apiKeyStoreContract, { name: 'MyApiKeyStore', create });
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

/** The options of {@link describeDatabase}. */
export interface MochaDatabaseOptions extends RandomProgramOptions {
  /** The database's name, for reports: `SQLite`. */
  readonly name: string;
  /** Opens a new, empty, migrated database for the tables and programs of the suite. Called for each promise. */
  readonly open: (schema: DatabaseSchema) => Promise<StoreSubject<Database>>;
  /** Checks only the promises whose id matches, and no random programs: for a second setup of an engine. */
  readonly clauses?: RegExp;
  /** The time limit of one promise, in milliseconds; 300,000 when absent. */
  readonly timeout?: number;
}

/**
 * Declares as mocha tests the promises of a `Database`, and a comparison with the database in memory by random programs.
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
  const { open, clauses } = options;
  const create = (): Promise<StoreSubject<Database>> => open(LIBRARY);
  const random = {
    id: 'database/random',
    text: 'random programs have the same results as in memory',
    check: () => checkRandomPrograms(create, options),
  };
  const further = clauses === undefined ? [random] : [];
  describeContract(
    { ...databaseContract, clauses: [...databaseContract.clauses, ...further] },
    { ...options, create },
  );
}
