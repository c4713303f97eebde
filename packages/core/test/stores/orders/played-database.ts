import { GuardCheck, type MemoryTables, MemoryTransaction } from '@pinfold/memory/internal';
import type { TableAction } from '../../../src/records/step.ts';
import {
  type AnyTable,
  type Database,
  type Lock,
  type Locks,
  locksInOrder,
  type Step,
  type Steps,
} from '../../../src/records.ts';

/** More turns than any order needs: beyond this it is an endless loop. */
const MAX_TURNS = 1_000;

interface Read {
  readonly action: TableAction;
  readonly isUnlocked: boolean;
}

/** A running program or query. */
interface Task {
  readonly call: number;
  readonly name: string;
  readonly locks: readonly Lock[];
  readonly transaction: MemoryTransaction;
  readonly actions: Generator<Read, unknown, unknown>;
  readonly isOneTurn: boolean;
  next: IteratorResult<Read, unknown> | undefined;
  readonly written: Set<AnyTable>;
  readonly end: PromiseWithResolvers<unknown>;
}

/** The choices in a play of programs. */
export interface Play {
  /** Chooses which one of several ready tasks continues; undefined ends the play. */
  choose(tasks: number, state: () => string): number | undefined;
  /** Whether no program takes this lock. */
  isIgnored?(lock: string): boolean;
  /** Called for every action. */
  onAction?(program: string, action: TableAction, locks: readonly Lock[]): void;
  /** Whether no program writes this table, so that the time of reading makes no difference. */
  isQuiet?(table: string): boolean;
  /** Called for every commit that changed rows, with its tables. */
  onCommit?(tables: Iterable<AnyTable>): void;
  /** Whether each program and query runs in one turn. */
  readonly isWhole?: boolean;
}

/**
 * A database in which a scheduler chooses which of several concurrent programs continues. It makes only the promises of
 * every engine: a program waits for its locks, each of its reads sees committed rows and the program's own writes, and
 * its writes are committed at its end.
 */
export class PlayedDatabase {
  readonly #tables: MemoryTables;
  readonly #play: Play;
  readonly #tasks: Set<Task> = new Set();
  /** The values that each call has read so far. */
  readonly #seen: string[] = [];
  /** The programs and queries in the order of their turns, for people. */
  readonly turns: string[] = [];
  /** The commits and the ends of calls in their order. */
  #happened = '';

  constructor(tables: MemoryTables, play: Play) {
    this.#tables = tables;
    this.#play = play;
  }

  /** The database of one of the calls. */
  of(call: number): Database {
    this.#seen[call] = '';
    const never = (): never => {
      throw new Error('it is not played');
    };
    return {
      isSerial: false,
      read: ({ name, run }, args) => this.#begin(call, { name, steps: run(args) }, undefined),
      snapshot: ({ name, run }, args) => this.#begin(call, { name, steps: run(args) }, undefined, true),
      write: ({ name, run, locks }, args) => this.#begin(call, { name, steps: run(args) }, locks(args)),
      pause: async () => undefined,
      ...{ peek: never, openSnapshot: never, migrate: never, check: never, examine: never, close: never },
    };
  }

  /** Lets one task after the other continue until all calls have ended. Returns false if the play was stopped before. */
  async run(): Promise<boolean> {
    await letCallsContinue();
    for (let turn = 0; turn < MAX_TURNS; turn += 1) {
      const ready = [...this.#tasks].filter((task) => task.next !== undefined || this.#isFree(task));
      if (ready.length === 0 && this.#tasks.size > 0) throw new Error('programs wait for each other');
      if (ready.length === 0) return true;
      const chosen = ready.length === 1 ? 0 : this.#play.choose(ready.length, () => this.#state());
      const task = chosen === undefined ? undefined : ready[chosen];
      if (task === undefined) return false;
      this.turns.push(task.name);
      this.#runTurn(task);
      if (!this.#tasks.has(task)) await letCallsContinue();
    }
    throw new Error('programs never end');
  }

  /** Records that a call was answered. */
  answered(call: number): void {
    this.#happened += `${call}! `;
  }

  #begin<Result>(
    call: number,
    { name, steps }: { readonly name: string; readonly steps: Steps<Result> },
    wanted: Locks | undefined,
    isOneTurn = false,
  ): Promise<Result> {
    const { isIgnored = () => false } = this.#play;
    const all = locksInOrder(wanted ?? {});
    const locks = all.filter((lock) => !isIgnored(lock.name));
    const guards = wanted === undefined || locks.length < all.length ? undefined : new GuardCheck(wanted);
    const transaction = new MemoryTransaction(this.#tables, guards);
    const end = Promise.withResolvers<unknown>();
    const task = { call, name, locks, transaction, actions: actionsOf(steps), isOneTurn, end };
    this.#tasks.add({ ...task, next: undefined, written: new Set() });
    return end.promise as Promise<Result>;
  }

  #isFree({ locks }: Task): boolean {
    const held = [...this.#tasks].flatMap((other) => (other.next === undefined ? [] : other.locks));
    return held.every(({ name, isShared }) =>
      locks.every((lock) => lock.name !== name || (lock.isShared && isShared)),
    );
  }

  /**
   * One turn: up to the next action that affects others after the answer of a read, or to the end. A program that wrote
   * ends in a separate turn.
   */
  #runTurn(task: Task): void {
    if (task.next === undefined) this.#seen[task.call] += `${task.name} `;
    try {
      if (this.#continueTask(task)) this.#end(task);
    } catch (error) {
      this.#seen[task.call] += 'failed ';
      this.#tasks.delete(task);
      task.end.reject(error);
    }
  }

  /** Returns false if the turn ends before the task. */
  #continueTask(task: Task): boolean {
    const { call, name, transaction, actions, locks } = task;
    let isOver = false;
    task.next ??= actions.next();
    while (task.next.done !== true) {
      const { action, isUnlocked } = task.next.value;
      const matters = this.#matters(action);
      if (isOver && matters) return false;
      this.#play.onAction?.(name, action, locks);
      const answer = transaction.answer(action, isUnlocked);
      task.next = actions.next(answer);
      if (isWriting(action)) {
        task.written.add(action.table);
      } else if (matters) {
        this.#seen[call] += `${JSON.stringify(answer)} `;
        isOver = !task.isOneTurn && this.#play.isWhole !== true;
      }
    }
    return !(isOver && task.written.size > 0);
  }

  /** Whether the time of an action affects others. */
  #matters(action: TableAction): boolean {
    const isQuiet = this.#play.isQuiet?.(action.table.name) === true;
    if (isQuiet && isWriting(action))
      throw new Error(`${action.table.name} is written, but not by whole programs`);
    return !isQuiet || 'references' in action;
  }

  #end(task: Task): void {
    task.transaction.commit();
    this.#tasks.delete(task);
    if (task.written.size > 0) {
      this.#happened += `${task.call} `;
      this.#play.onCommit?.(task.written);
    }
    task.end.resolve(task.next?.value);
  }

  /** The rest of the play depends only on this state. */
  #state(): string {
    return `${this.#seen.join('|')}|${this.#happened}`;
  }
}

/** Lets methods continue up to their next program. */
function letCallsContinue(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export function isWriting({ kind }: TableAction): boolean {
  return ['insert', 'upsert', 'update', 'remove'].includes(kind);
}

/** The actions of steps one after the other, including concurrent ones. */
function* actionsOf(steps: Steps<unknown>): Generator<Read, unknown, unknown> {
  let next = steps.next();
  while (next.done !== true) next = steps.next(yield* actionsOfStep(next.value, false));
  return next.value;
}

function* actionsOfStep(step: Step<unknown>, isBelowUnlocked: boolean): Generator<Read, unknown, unknown> {
  const { action } = step;
  const isUnlocked = isBelowUnlocked || step.isUnlocked;
  if (action.kind === 'nothing') return undefined;
  if (action.kind !== 'all') return yield { action, isUnlocked };
  const answers: unknown[] = [];
  for (const one of action.steps) answers.push(yield* actionsOfStep(one, isUnlocked));
  return answers;
}
