import { expect } from 'chai';
import type { ClauseTable, StoreSubject } from './contract.ts';
import { expectAbortedAlone, expectNothingLeft, inEveryEnd } from './expect-aborts.ts';
import { expectUnreachable } from './rejection.ts';

/** One call of a port. A call that creates something uses `n`, which is different each time. */
export type Ask<Port> = (port: Port, signal: AbortSignal | undefined, n: number) => Promise<unknown>;

/** Calls of methods, each with the inputs to try. */
export type Asks<Port, Methods extends keyof Port> = Readonly<
  Record<Methods, Ask<Port> | readonly Ask<Port>[]>
>;

/** The calls and changes with which a store is checked for what every store promises. */
export interface SharedPromises<Stores, Port, Reads extends keyof Port> {
  /** The first part of the clauses' ids. */
  readonly suite: string;
  readonly portOf: (stores: Stores) => Port;
  /** Creates the items that the calls need. */
  readonly prepare: (stores: Stores) => Promise<unknown>;
  /** The methods that change nothing. */
  readonly reads: Asks<Port, Reads>;
  /** All other methods. */
  readonly writes: Asks<Port, Exclude<keyof Port, Reads>>;
  /** The methods that take a signal, each with the id of the clause that aborts it. */
  readonly aborted?: Readonly<Partial<Record<Reads, string>>>;
  /** Made one after another; each changes the results of `reads`. */
  readonly changes: Readonly<Record<string, (stores: Stores) => Promise<unknown>>>;
}

/**
 * The clauses that apply to every store: a new port gets them from a table of its methods. When no method takes a
 * signal, there is no `lets-go`.
 */
export function sharedClauses<Stores, Port extends object, Reads extends keyof Port>({
  suite,
  portOf,
  prepare,
  aborted: interruptible,
  changes,
  ...calls
}: SharedPromises<Stores, Port, Reads>): ClauseTable<Stores, StoreSubject<Stores>> {
  const aborted: Readonly<Partial<Record<string, string>>> = interruptible ?? {};
  const reads = named<Port>(calls.reads);
  const writes = named<Port>(calls.writes);
  const answersOf = async (stores: Stores): Promise<Readonly<Record<string, unknown>>> => {
    const answers: Record<string, unknown> = {};
    for (const { name, ask } of reads) answers[name] = await ask(portOf(stores), undefined, 0);
    return answers;
  };
  const answersAtOnce = async (stores: Stores): Promise<Readonly<Record<string, unknown>>> => {
    const answers = reads.map(
      async ({ name, ask }) => [name, await ask(portOf(stores), undefined, 0)] as const,
    );
    return Object.fromEntries(await Promise.all(answers));
  };
  const abortedClauses = Object.entries(aborted).map(
    ([method, id]): ClauseTable<Stores, StoreSubject<Stores>> => ({
      [`${suite}/${id}: an aborted signal rejects with its reason`]: async ({ port }) => {
        await prepare(port);
        const own = reads.filter((read) => read.method === method);
        await expectAbortedAlone(each(own, (ask) => (signal: AbortSignal) => ask(portOf(port), signal, 0)));
      },
    }),
  );
  const letsGo: ClauseTable<Stores, StoreSubject<Stores>> = {
    [`${suite}/lets-go: a call leaves nothing behind when it has ended: no listener on its signal, no open file or connection`]:
      async ({ port, unreachable }) => {
        await prepare(port);
        const [live, dead] = [portOf(port), portOf(await unreachable())];
        const questions = reads.filter(({ method }) => method in aborted);
        const others = [...reads, ...writes].filter(
          ({ name, method }) => name === method && !(method in aborted),
        );
        let n = 1_000;
        await expectNothingLeft({
          ...inEveryEnd(
            live,
            dead,
            each(questions, (ask) => (of: Port, signal: AbortSignal) => ask(of, signal, 0)),
          ),
          ...each(others, (ask) => () => {
            n += 1;
            return ask(live, undefined, n);
          }),
        });
      },
  };
  return {
    ...Object.assign({}, ...abortedClauses),
    ...(abortedClauses.length > 0 ? letsGo : {}),
    [`${suite}/same-question: a repeated query sees what any peer has changed, and earlier results do not change`]:
      async (_, another) => {
        for (const isAsked of [false, true]) {
          for (const by of ['a peer', 'the same handle']) {
            const { port, peer } = await another();
            await prepare(port);
            const changing = by === 'a peer' ? await peer() : port;
            let answers = await answersOf(port);
            for (const [what, change] of Object.entries(changes)) {
              const before = structuredClone(answers);
              await Promise.all([isAsked ? answersOf(port) : undefined, change(changing)]);
              const now = await answersOf(port);
              expect(now, `after ${what} by ${by}`).to.deep.equal(await answersOf(await peer()));
              expect(now, `after ${what} by ${by}`).not.to.deep.equal(before);
              expect(await answersAtOnce(port), `after ${what}, asked at once`).to.deep.equal(now);
              expect(answers, `what was answered before ${what}`).to.deep.equal(before);
              spoil(answers);
              const expected = structuredClone(now);
              spoil(now);
              answers = await answersOf(port);
              expect(answers, 'after a caller changed what it got').to.deep.equal(expected);
            }
          }
        }
      },
    [`${suite}/unreachable: while the database does not answer, every call rejects with the fault store_unavailable and its cause`]:
      async ({ port, unreachable }) => {
        await prepare(port);
        await answersOf(port);
        const dead = portOf(await unreachable());
        const calls = each([...reads, ...writes], (ask) => () => ask(dead, undefined, 1));
        await expectUnreachable('store_unavailable', calls);
      },
  };
}

interface Named<Port> {
  readonly name: string;
  readonly method: string;
  readonly ask: Ask<Port>;
}

function named<Port>(asks: Readonly<Record<string, Ask<Port> | readonly Ask<Port>[]>>): Named<Port>[] {
  return Object.entries(asks).flatMap(([method, all]) =>
    [all].flat().map((ask, n) => ({ name: n === 0 ? method : `${method}, ${n + 1}`, method, ask })),
  );
}

function each<Port, Call>(
  all: readonly Named<Port>[],
  callOf: (ask: Ask<Port>) => Call,
): Readonly<Record<string, Call>> {
  return Object.fromEntries(all.map(({ name, ask }) => [name, callOf(ask)]));
}

/** Changes every mutable part of a value, as a careless caller might do with results. */
function spoil(held: unknown): void {
  if (typeof held !== 'object' || held === null || Object.isFrozen(held)) return;
  for (const [name, value] of Object.entries(held)) {
    spoil(value);
    Reflect.set(held, name, typeof value === 'number' ? 7 : typeof value === 'string' ? 'changed' : value);
  }
  if (Array.isArray(held)) held.length = 0;
}
