import { describe, it } from 'mocha';
import { bindContract } from './bind-contract.ts';
import type { Contract, ContractOptions, Subject } from './contract.ts';

/** {@link ContractOptions} with what mocha adds. */
export interface MochaContractOptions<Port, S extends Subject<Port> = Subject<Port>>
  extends ContractOptions<Port, S> {
  /** The longest one clause may take, in milliseconds; 60,000 when absent. */
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
        this.timeout(options.timeout ?? 60_000);
        body();
      }),
    it,
  });
}
