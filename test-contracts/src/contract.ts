import { type HistoryStore, type Instant, instant } from '@pinfold/core';
import type { Stores } from '@pinfold/core/adapter';
import { inWords } from './assertion-message.ts';

/**
 * The subject of one clause, which an adapter author provides: an implementation over new data.
 *
 * Ports that cannot be tested alone, such as a storage, which needs staged archives, extend it.
 */
export interface Subject<Port> {
  /** The implementation under test, empty and ready to use. */
  readonly port: Port;
  /** Opens the same data again, as another process or node would: nothing but the data may be shared. */
  peer(): Promise<Port>;
  /** Closes the port and every peer, and removes the data. Called once, even after a clause that failed. */
  dispose(): Promise<void>;
}

/** The subject of a port whose backend may be unreachable. */
export interface StoreSubject<Port> extends Subject<Port> {
  /** The implementation over a backend that does not answer: a dead endpoint, a missing file, a closed handle. */
  unreachable(): Promise<Port>;
  /** The history over the same data, if any: it shows the stored events. */
  history?(): Promise<HistoryStore>;
}

/** A promise of a port, with its check. */
export interface Clause<Port, S extends Subject<Port> = Subject<Port>> {
  /** The stable id of the promise, as in the port's comment: `api-key-store/create`. */
  readonly id: string;
  /** The promise itself, in the words of the port. */
  readonly text: string;
  /**
   * Rejects if the promise is broken.
   *
   * @param subject fresh and empty, disposed of by the caller.
   * @param another opens another fresh subject, also disposed of by the caller.
   */
  check(subject: S, another: () => Promise<S>): Promise<void>;
}

/** Clauses by `id: promise`, as the port states them, each with its check. */
export type ClauseTable<Port, S extends Subject<Port> = Subject<Port>> = Readonly<
  Record<string, Clause<Port, S>['check']>
>;

/** Clauses of a port that is tested together with other stores of its database. */
export type StoreClauses<Part> = ClauseTable<Part, StoreSubject<Part>>;

/** The stores that an `AccountStore` is tested with: their writes create rows of accounts, whose limits and blocks they obey. */
export type AccountStores = Pick<Stores, 'accounts' | 'apiKeys' | 'roles' | 'sessions'>;

/** A check with a peer of the port from the beginning. */
export function withPeer<S extends Subject<unknown>>(
  check: (port: S['port'], peer: S['port'], subject: S, another: () => Promise<S>) => Promise<void>,
): (subject: S, another: () => Promise<S>) => Promise<void> {
  return async (subject, another) => check(subject.port, await subject.peer(), subject, another);
}

/** Long before and long after any host's clock: code that reads the host's clock fails in one of them. */
const ERAS: readonly Instant[] = [instant(0), instant(Date.UTC(2150, 0, 1, 3, 4, 5, 678))];

/** Runs a check over a new subject in each era. */
export function inEachEra<S extends Subject<unknown>>(
  check: (port: S['port'], peer: S['port'], start: Instant, subject: S) => Promise<void>,
): (subject: S, another: () => Promise<S>) => Promise<void> {
  return async (_, another) => {
    for (const start of ERAS) {
      const inEra = withPeer<S>((port, peer, subject) => check(port, peer, start, subject));
      await inEra(await another(), another);
    }
  };
}

/** The clauses of a table, in its order. */
export function toClauses<Port, S extends Subject<Port>>(
  table: ClauseTable<Port, S>,
): readonly Clause<Port, S>[] {
  return Object.entries(table).map(([promise, check]) => {
    const [id = ''] = promise.split(': ', 1);
    return { id, text: promise.slice(id.length + 2), check };
  });
}

/** The promises of one port as data: no order, no shared state, no skipping. */
export interface Contract<Port, S extends Subject<Port> = Subject<Port>> {
  /** The port's name: `ApiKeyStore`. */
  readonly port: string;
  /** Clauses that test the author's `create` and `peer`. They come first: if they fail, no other result is meaningful. */
  readonly harness: readonly Clause<Port, S>[];
  /** The port's own promises. */
  readonly clauses: readonly Clause<Port, S>[];
}

/** The tested implementation, and how to open it. */
export interface ContractOptions<Port, S extends Subject<Port> = Subject<Port>> {
  /** The implementation's name, for reports: `RedisApiKeyStore`. */
  readonly name: string;
  /** Creates a fresh subject over new empty data. Called for each clause. */
  readonly create: () => Promise<S>;
}

/**
 * All clauses of a contract, the harness first.
 *
 * @example
 * import { apiKeyStoreContract, clausesOf } from '@pinfold/test-contracts';
 *
 * for (const { id, text } of clausesOf(apiKeyStoreContract)) console.log(id, text);
 */
export function clausesOf<Port, S extends Subject<Port>>(
  contract: Contract<Port, S>,
): readonly Clause<Port, S>[] {
  return [...contract.harness, ...contract.clauses];
}

/**
 * Checks one clause over a fresh subject, and always disposes of all subjects.
 *
 * Rejects with the error of the check; with an `AggregateError` if disposing failed, too.
 *
 * @example
 * import { createMemory } from '@pinfold/memory';
 * import { apiKeyStoreContract, checkClause, clausesOf } from '@pinfold/test-contracts';
 *
 * const create = async () => {
 *   const memory = createMemory();
 *   const closed = memory.peer();
 *   await closed.close();
 *   return {
 *     port: memory.apiKeys,
 *     peer: async () => memory.peer().apiKeys,
 *     unreachable: async () => closed.apiKeys,
 *     dispose: () => memory.close(),
 *   };
 * };
 * for (const clause of clausesOf(apiKeyStoreContract)) await checkClause(clause, create);
 */
export async function checkClause<Port, S extends Subject<Port>>(
  clause: Clause<Port, S>,
  create: () => Promise<S>,
): Promise<void> {
  const opened: S[] = [];
  const open = async (): Promise<S> => {
    const subject = await create();
    opened.push(subject);
    return subject;
  };
  const checked = open().then((subject) => clause.check(subject, open));
  const [outcome] = await Promise.allSettled([checked]);
  const disposals = await Promise.allSettled(opened.map((subject) => subject.dispose()));
  const disposalErrors = disposals
    .filter((disposal) => disposal.status === 'rejected')
    .map(({ reason }) => reason);
  const broken = outcome.status === 'rejected' ? [outcome.reason] : [];
  if (disposalErrors.length > 0) {
    throw new AggregateError([...broken, ...disposalErrors], 'a subject could not be disposed of');
  }
  if (outcome.status === 'rejected') {
    throw inWords(outcome.reason);
  }
}

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
