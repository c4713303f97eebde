import type { StoreName } from '@pinfold/core/adapter';
import {
  accountStoreContract,
  apiKeyStoreContract,
  attemptCounterContract,
  type Contract,
  type StoreSubject,
} from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { describe, it } from 'mocha';
import {
  erasureStoreRules,
  historyStoreRules,
  importRules,
  nameStoreRules,
  pairingStoreRules,
  roleStoreRules,
  serviceModeRules,
  sessionStoreRules,
  snapshotRules,
  takedownStoreRules,
  viewStoreRules,
} from './contracts.ts';
import { checkRoleStore } from './role-store-model/role-commands.ts';
import type { Stores } from './stores.ts';

type Open = () => Promise<StoreSubject<Stores>>;

/** The stores of the core over one database. */
export interface RulesOptions {
  /** The database's name, for reports. */
  readonly name: string;
  /** Opens all stores over an empty database of their own. Called for each clause and each random sequence. */
  readonly open: Open;
  /** Checks only the clauses whose id it matches; all when absent. */
  readonly clauses?: RegExp;
  /** The number of random sequences that compare the role store with its model. */
  readonly randomSequences: number;
}

/**
 * The clauses for stores over a database engine: all except those that the suite of the database port covers, such as nearly
 * equal texts and thousands of rows.
 */
export const ENGINE_CLAUSES: RegExp = new RegExp(
  `^(?!(?:${[
    '.*/(?:harness-.*|unreachable|lets-go|same-question|.*-many|list-sparse|list-search-walk)',
    'api-key-store/(?:create|create-exists|list)|session-store/(?:begin|offer|list-all)',
    'attempt-counter/(?:addresses|hundreds)|role-store/reserve-free',
  ].join('|')})$)`,
);

/** By store, in the order in which they run: this does not compile if one is missing. */
const RULES = Object.values({
  roles: rulesOf(roleStoreRules, ({ roles }) => roles),
  accounts: rulesOf(accountStoreContract, (stores) => stores),
  apiKeys: rulesOf(apiKeyStoreContract, ({ apiKeys }) => apiKeys),
  attempts: rulesOf(attemptCounterContract, ({ attempts }) => attempts),
  sessions: rulesOf(sessionStoreRules, ({ sessions }) => sessions),
  pairings: rulesOf(pairingStoreRules, (stores) => stores),
  history: rulesOf(historyStoreRules, (stores) => stores),
  mode: rulesOf(serviceModeRules, (stores) => stores),
  takedowns: rulesOf(takedownStoreRules, (stores) => stores),
  names: rulesOf(nameStoreRules, (stores) => stores),
  erasures: rulesOf(erasureStoreRules, (stores) => stores),
  views: rulesOf(viewStoreRules, ({ views }) => views),
  snapshot: rulesOf(snapshotRules, (stores) => stores),
  imports: rulesOf(importRules, (stores) => stores),
} satisfies Record<StoreName, unknown>);

/** Declares the rules of every store of the core, and random sequences of the role store, as mocha tests. */
export function describeRules(options: RulesOptions): void {
  const { name, open, randomSequences } = options;
  for (const declare of RULES) declare(options);
  describe(`${name} in random sequences`, () => {
    it('answers each call of two handles as the model of the role store', () =>
      checkRoleStore(open, randomSequences));
  });
}

function rulesOf<Port>(contract: Contract<Port, StoreSubject<Port>>, portOf: (stores: Stores) => Port) {
  return ({ open, ...options }: RulesOptions): void =>
    describeContract(contract, { ...options, create: subjectsOf(open, portOf) });
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
