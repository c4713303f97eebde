import { type Contract, type ContractOptions, checkClause, clausesOf, type Subject } from './contract.ts';

/** The two functions of a test runner that a contract needs: mocha, node:test, vitest and others have them. */
export interface Runner {
  describe(title: string, body: () => void): unknown;
  it(title: string, body: () => Promise<void>): unknown;
}

/**
 * Declares a contract's clauses as tests of any runner: one test a clause, each over a subject of its own.
 *
 * @example
 * import { describe, it } from 'node:test';
 * import type { RoleStore } from '@pinfold/core';
 * import { bindContract, roleStoreContract, type Subject } from '@pinfold/test-contracts';
 *
 * declare const create: () => Promise<Subject<RoleStore>>;
 *
 * bindContract(roleStoreContract, { name: 'MyRoleStore', create }, { describe, it });
 */
export function bindContract<Port, S extends Subject<Port>>(
  contract: Contract<Port, S>,
  options: ContractOptions<Port, S>,
  runner: Runner,
): void {
  runner.describe(`${options.name} as ${contract.port}`, () => {
    for (const clause of clausesOf(contract)) {
      runner.it(`${clause.id}: ${clause.says}`, () => checkClause(clause, options.create));
    }
  });
}
