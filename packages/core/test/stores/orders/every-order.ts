import type { MemoryTables } from '@pinfold/memory/internal';
import type { FeedId } from '../../../src/index.ts';
import { createPersistence } from '../../../src/stores/create-persistence.ts';
import { NumberedTables } from './numbered-tables.ts';
import { isWriting, type Play, PlayedDatabase } from './played-database.ts';

/** One call of a store: it may run several programs one after the other. */
export type Call = (stores: ReturnType<typeof createPersistence>) => Promise<unknown>;

/** The outcome of calls in one order. */
interface Outcome {
  readonly results: readonly unknown[];
  readonly turns: readonly string[];
  /** The results, and the rows at the end. */
  readonly all: string;
  /** The rows after each commit. */
  readonly states: readonly string[];
  /** The number of commits before the answer of each call. */
  readonly answeredAfter: readonly number[];
}

/** The findings over every order of some calls. */
export interface Found {
  /** How many orders were played. */
  readonly orders: number;
  /** An outcome that no sequence of whole programs has; undefined if there is none. */
  readonly wrong: string | undefined;
  /** An outcome that no sequence of whole calls has. */
  readonly mixed: string | undefined;
}

/** The allowed outcomes of calls. */
interface Expected {
  /** The outcomes of whole programs, one after the other. */
  readonly programs: readonly Outcome[];
  /** The outcomes of whole calls, one after the other. */
  readonly inTurn: ReadonlySet<string>;
  /** The names of the tables that they write. */
  readonly written: ReadonlySet<string>;
}

/** Plays concurrent calls. Undefined if the play was stopped before they ended. */
async function playTogether(
  numbered: NumberedTables,
  calls: readonly (Call | undefined)[],
  play: Play,
): Promise<Outcome | undefined> {
  const states = [numbered.compared()];
  const onCommit: Play['onCommit'] = (written) => {
    numbered.readAgain(written);
    states.push(numbered.compared());
  };
  const database = new PlayedDatabase(numbered.tables, { ...play, onCommit });
  const answeredAfter: number[] = [];
  const answers = calls.map(async (call, n) => {
    if (call === undefined) return;
    const stores = createPersistence(database.of(n), () => `feed of ${n}` as FeedId);
    const result = await call(stores).catch((error: Error) => `failed: ${error.message}`);
    answeredAfter[n] = states.length - 1;
    database.answered(n);
    return result;
  });
  if (!(await database.run())) return undefined;
  const results = await Promise.all(answers);
  const all = `${JSON.stringify(results)} ${numbered.whole()}`;
  return { results, turns: database.turns, all, states, answeredAfter };
}

/** Whether an order has the same effect as another one, even for reads right after the answer of a call, or later. */
function isSameAs({ all, states, answeredAfter }: Outcome, other: Outcome): boolean {
  return (
    all === other.all &&
    answeredAfter.every((commits, n) => {
      const state = states[commits] as string;
      return other.states.includes(state, other.answeredAfter[n]);
    })
  );
}

/** Plays one call, and throws unless it succeeds. */
export async function playAlone(
  tables: MemoryTables,
  call: Call,
  onAction: Play['onAction'] = () => undefined,
): Promise<void> {
  const outcome = await playTogether(new NumberedTables(tables), [call], { choose: () => 0, onAction });
  if (outcome === undefined || outcome.all.startsWith('["failed')) throw new Error(outcome?.all);
}

/** Plays calls in every order of their turns. Two orders that reach the same state continue as one. */
async function* everyOrder(
  before: NumberedTables,
  calls: readonly Call[],
  play: Omit<Play, 'choose'>,
): AsyncGenerator<Outcome | undefined> {
  const known = new Set<string>();
  const path: { chosen: number; readonly of: number; readonly state: string }[] = [];
  do {
    let at = 0;
    const choose = (tasks: number, state: () => string): number | undefined => {
      if (at === path.length) {
        const now = state();
        if (path.some((choice) => choice.state === now)) throw new Error('a turn did not change the state');
        if (known.has(now)) return undefined;
        known.add(now);
        path.push({ chosen: 0, of: tasks, state: now });
      }
      at += 1;
      return path[at - 1]?.chosen;
    };
    yield await playTogether(before.copy(), calls, { ...play, choose });
    while (path.length > 0 && isLast(path.at(-1))) path.pop();
    const last = path.at(-1);
    if (last !== undefined) last.chosen += 1;
  } while (path.length > 0);
}

function isLast(choice: { readonly chosen: number; readonly of: number } | undefined): boolean {
  return choice !== undefined && choice.chosen + 1 === choice.of;
}

/** Plays whole calls one after the other, in every order of them. */
async function playInTurn(before: NumberedTables, calls: readonly Call[]): Promise<ReadonlySet<string>> {
  const outcomes = new Set<string>();
  for (const order of permutations(calls.map((_, n) => n))) {
    const own = before.copy();
    const results: unknown[] = calls.map(() => undefined);
    for (const n of order) {
      const one = calls.map((call, m) => (m === n ? call : undefined));
      const outcome = await playTogether(own, one, { choose: () => 0 });
      results[n] = outcome?.results[n];
    }
    outcomes.add(`${JSON.stringify(results)} ${own.whole()}`);
  }
  return outcomes;
}

/** Calls that are played at the same time. */
export class CallsTogether {
  readonly #before: NumberedTables;
  readonly #calls: readonly Call[];
  #expected: Promise<Expected> | undefined;

  constructor(before: NumberedTables, calls: readonly Call[]) {
    this.#before = before;
    this.#calls = calls;
  }

  /** Plays every order until one is wrong, and compares the outcomes with those of whole programs and calls. */
  async playEveryOrder(isIgnored: (lock: string) => boolean = () => false): Promise<Found> {
    this.#expected ??= this.#expect();
    const { programs, inTurn, written } = await this.#expected;
    let [orders, mixed]: [number, string | undefined] = [0, undefined];
    const isQuiet = (table: string): boolean => !written.has(table);
    for await (const outcome of everyOrder(this.#before, this.#calls, { isIgnored, isQuiet })) {
      orders += 1;
      if (outcome === undefined) continue;
      if (!inTurn.has(outcome.all)) mixed = textOf(outcome);
      if (!programs.some((other) => isSameAs(outcome, other)))
        return { orders, wrong: textOf(outcome), mixed };
    }
    return { orders, wrong: undefined, mixed };
  }

  async #expect(): Promise<Expected> {
    const programs: Outcome[] = [];
    const written = new Set<string>();
    const onAction: Play['onAction'] = (_, action) => {
      if (isWriting(action)) written.add(action.table.name);
    };
    for await (const outcome of everyOrder(this.#before, this.#calls, { isWhole: true, onAction }))
      if (outcome !== undefined) programs.push(outcome);
    return { programs, inTurn: await playInTurn(this.#before, this.#calls), written };
  }
}

function textOf({ turns, results }: Outcome): string {
  return `${turns.join(', ')}: ${JSON.stringify(results)}`;
}

function permutations(calls: readonly number[]): readonly (readonly number[])[] {
  if (calls.length === 0) return [[]];
  return calls.flatMap((first) => {
    const rest = permutations(calls.filter((call) => call !== first));
    return rest.map((order) => [first, ...order]);
  });
}
