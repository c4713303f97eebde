import { isDeepStrictEqual } from 'node:util';
import type { HistoryEvent, HistoryStore } from '@pinfold/core';
import { expect } from 'chai';
import { inWords } from '../assertion-message.ts';
import { walkEvents } from '../fixtures/recorded-events.ts';
import { areAlike } from './alike.ts';
import { type Heard, heard, type Manner, spoil } from './manners.ts';
import type { Call, Reachable, Reference, Sequences, Turn } from './run.ts';

/** A sound store that made all calls so far, in one of the orders that the answers allow. */
interface World<Port> {
  readonly store: Reference<Port>;
  readonly past: Call<Port>[];
}

/** A call with its actual and its expected answer. */
interface Answer {
  readonly description: string;
  readonly actual: unknown;
  readonly expected: unknown;
}

/** The expected answers in a world. */
interface Outcome<Port> {
  readonly world: World<Port>;
  readonly answers: readonly Answer[];
}

/** More worlds than this, and no two calls are made at once until answers have told which one is true. */
const WORLDS = 4;

const PLAIN: Manner = { abort: undefined, reason: 0, spoils: false };

/** One run: the handles of a store, and the states that it may have by now. */
export class Play<Port> {
  readonly #sequences: Pick<Sequences<Port, never>, 'reference' | 'holds'>;
  readonly #opened: Reference<Port>[] = [];
  readonly #answers: Answer[] = [];
  readonly #spent: Set<string> = new Set();
  #worlds: World<Port>[] = [];
  #history: HistoryStore | undefined;

  constructor(sequences: Pick<Sequences<Port, never>, 'reference' | 'holds'>) {
    this.#sequences = sequences;
  }

  async play(turns: readonly Turn<Port>[], subject: Reachable<Port>): Promise<void> {
    this.#history = await subject.history?.();
    const handles = [subject.port, await subject.peer()];
    this.#worlds = [await this.#world([])];
    for (const turn of turns) await this.#take(turn, handles);
    const last = turns.at(-1)?.read;
    if (last !== undefined) await this.#ask([last], [await subject.peer()], PLAIN);
    for (const answer of this.#answers)
      agree(answer, `in the end, what had been answered to ${answer.description}`);
  }

  async dispose(): Promise<void> {
    for (const reference of this.#opened) await reference.dispose();
  }

  async #take(turn: Turn<Port>, handles: readonly Port[]): Promise<void> {
    const { call, handle, again, read, beside, manner } = turn;
    const of = (n: number): Port => handles[n % handles.length] as Port;
    const calls = this.#unspent([call, ...beside.map((other) => other.call)]);
    const ports = [of(handle), ...beside.map((other) => of(other.handle))];
    if (this.#mayBeAtOnce(calls)) await this.#ask(calls, ports, manner);
    else for (const [n, each] of calls.entries()) await this.#ask([each], ports.slice(n), manner);
    if (again) for (const each of this.#unspent([call])) await this.#ask([each], [of(handle + 1)], manner);
    if (read === undefined) return;
    for (const port of handles) await this.#ask([read], [port], { ...PLAIN, spoils: manner.spoils });
    await this.#compareEvents();
  }

  async #compareEvents(): Promise<void> {
    if (this.#history === undefined) return;
    const description = 'the events that were kept';
    const actual = await eventsIn(this.#history);
    const outcomes = this.#worlds.map(async (world) => ({
      world,
      answers: [{ description, actual, expected: await eventsIn(world.store.history) }],
    }));
    await this.#keep(await Promise.all(outcomes), description);
  }

  #unspent(calls: readonly Call<Port>[]): Call<Port>[] {
    return calls.filter(({ spends }) => {
      if (spends === undefined) return true;
      const isNew = !this.#spent.has(spends);
      this.#spent.add(spends);
      return isNew;
    });
  }

  #mayBeAtOnce(calls: readonly Call<Port>[]): boolean {
    const isOpen = this.#sequences.holds !== undefined && this.#worlds.length <= WORLDS;
    return isOpen && calls.every(({ alone }) => !alone);
  }

  /** Makes calls at once, the first of them in some manner: their answers are those of an order. */
  async #ask(calls: readonly Call<Port>[], ports: readonly Port[], manner: Manner): Promise<void> {
    const isPlain = this.#sequences.holds !== undefined;
    const inputs = calls.map((call) => call.inputs());
    const came = await settled(
      calls.map((call, n) => {
        const [port, given] = [ports[n] as Port, inputs[n] as unknown[]];
        if (n > 0 || !call.isQuestion) return call.make(port, given).then((answer) => ({ answer }));
        return heard(manner, call.description, (signal) => call.make(port, given, signal));
      }),
    );
    for (const [n, { description, inputs: given }] of calls.entries())
      agree({ description, actual: inputs[n], expected: given() }, `what was given to ${description}`);
    await this.#settle(calls, came);
    if (isPlain && manner.spoils) {
      // These answers are about to change, so they are no longer compared.
      this.#answers.length -= came.filter((each) => each !== 'aborted').length;
      spoil([inputs, came]);
    }
  }

  /** Keeps the worlds in which the answers are right. */
  async #settle(calls: readonly Call<Port>[], came: readonly Heard[]): Promise<void> {
    const outcomes: Outcome<Port>[] = [];
    for (const world of this.#worlds) {
      for (const order of ordersOf(calls)) {
        const next = calls.length === 1 ? world : await this.#world(world.past);
        const expected: unknown[] = [];
        for (const n of order) {
          const call = calls[n] as Call<Port>;
          expected[n] = await call.make(next.store.port, call.inputs());
          next.past.push(call);
        }
        const answers = calls.flatMap(({ description }, n) => {
          const each = came[n];
          if (each === undefined || each === 'aborted') return [];
          return [{ description, actual: each.answer, expected: expected[n] }];
        });
        outcomes.push({ world: next, answers });
      }
    }
    const others = calls.length === 1 ? '' : ' at once with others';
    await this.#keep(outcomes, `${calls[0]?.description}${others}`);
  }

  async #keep(outcomes: readonly Outcome<Port>[], description: string): Promise<void> {
    const right = outcomes.filter(({ answers }) => answers.every(isRight));
    const agreed = (right[0] ?? outcomes[0])?.answers ?? [];
    if (right.length === 0) for (const answer of agreed) agree(answer, description);
    this.#answers.push(...agreed);
    this.#worlds = await this.#different(right.map(({ world }) => world));
  }

  async #different(worlds: readonly World<Port>[]): Promise<World<Port>[]> {
    const { holds } = this.#sequences;
    if (worlds.length === 1 || holds === undefined) return [...worlds];
    const different: { readonly world: World<Port>; readonly held: unknown }[] = [];
    for (const world of worlds) {
      const events = this.#history && (await eventsIn(world.store.history));
      const held = [await holds(world.store.port), events];
      if (!different.some((other) => isDeepStrictEqual(other.held, held))) different.push({ world, held });
    }
    return different.map(({ world }) => world);
  }

  async #world(past: readonly Call<Port>[]): Promise<World<Port>> {
    const reference = await this.#sequences.reference();
    this.#opened.push(reference);
    for (const call of past) await call.make(reference.port, call.inputs());
    return { store: reference, past: [...past] };
  }
}

/** All have ended, also where one failed. */
async function settled(calls: readonly Promise<Heard>[]): Promise<readonly Heard[]> {
  await Promise.allSettled(calls);
  return await Promise.all(calls);
}

function ordersOf(calls: readonly unknown[]): readonly (readonly number[])[] {
  if (calls.length < 2) return [[0].slice(0, calls.length)];
  return calls.flatMap((_, first) => {
    const rest = [...calls.keys()].filter((n) => n !== first);
    return ordersOf(rest).map((order) => [first, ...order.map((n) => rest[n] as number)]);
  });
}

function isRight({ actual, expected }: Answer): boolean {
  return areAlike(actual, expected);
}

function agree(answer: Answer, description: string): void {
  if (isRight(answer)) return;
  try {
    expect(answer.actual, description).to.deep.equal(answer.expected);
  } catch (error) {
    throw inWords(error);
  }
}

/** All events, newest first. */
async function eventsIn(history: HistoryStore | undefined): Promise<readonly HistoryEvent[]> {
  return history === undefined ? [] : await walkEvents({ history });
}
