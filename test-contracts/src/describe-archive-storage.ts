import type { ArchiveStorage } from '@pinfold/core';
import { it } from 'mocha';
import { archiveStorageContract } from './archive-storage/contract.ts';
import { checkArchiveStorageSequences } from './archive-storage/sequences.ts';
import type { ArchiveStorageSubject } from './archive-storage/subject.ts';
import { describeContract, type MochaContractOptions } from './describe-contract.ts';

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
  const { name, create, runs = 100 } = options;
  describeContract(archiveStorageContract, options);
  it(`${name} answers as the storage in memory after any sequence of calls`, function () {
    this.timeout(300_000);
    return checkArchiveStorageSequences(create, { runs });
  });
}
