import { type Clause, type Contract, type ContractOptions, checkClause, type Subject } from './contract.ts';

/** The two functions of a test runner that a contract needs, as in mocha, node:test and vitest. */
export interface Runner {
  describe(title: string, body: () => void): unknown;
  it(title: string, body: () => Promise<void>): unknown;
}

/**
 * Declares a contract's clauses as tests of any runner: one test per clause, each over a new subject. After a clause
 * of the harness has failed, no further one is checked: each fails with a message that names it.
 *
 * @example
 * import { describe, it } from 'node:test';
 * import type { ApiKeyStore } from '@pinfold/core';
 * import { apiKeyStoreContract, bindContract, type StoreSubject } from '@pinfold/test-contracts';
 *
 * declare const create: () => Promise<StoreSubject<ApiKeyStore>>;
 *
 * bindContract(apiKeyStoreContract, { name: 'MyApiKeyStore', create }, { describe, it });
 */
export function bindContract<Port, S extends Subject<Port>>(
  contract: Contract<Port, S>,
  options: ContractOptions<Port, S>,
  runner: Runner,
): void {
  let failed: string | undefined;
  const check = async (clause: Clause<Port, S>): Promise<void> => {
    if (failed !== undefined) throw new Error(`not checked, because ${failed} failed: begin with that one`);
    await checkClause(clause, options.create);
  };
  runner.describe(`${options.name} as ${contract.port}`, () => {
    const declare = (clause: Clause<Port, S>, body: () => Promise<void>): unknown =>
      runner.it(`${clause.id}: ${clause.text}`, body);
    for (const clause of contract.harness) {
      declare(clause, async () => {
        try {
          await check(clause);
        } catch (error) {
          failed ??= clause.id;
          throw error;
        }
      });
    }
    for (const clause of contract.clauses) declare(clause, () => check(clause));
  });
}
