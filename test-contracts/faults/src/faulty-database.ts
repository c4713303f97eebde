import {
  type Database,
  type GetAction,
  type InsertAction,
  type Program,
  type Query,
  type Step,
  type Steps,
  type TableAction,
  unlocked,
} from '@pinfold/core/records';

/**
 * Breaks a database. Called once for each subject, whose handles share its state; the function that it
 * returns is called once for each handle.
 */
export type Breaking = () => (database: Database) => Partial<Database>;

/** A fault, and the id of the promise that it breaks, without the suite. */
export interface DatabaseFault {
  readonly breaks: string;
  /** The defect of the database, in a few words. */
  readonly how: string;
  readonly breaking: Breaking;
}

export type Row = Readonly<Record<string, unknown>>;

/** Asks the database for an action. */
export type Ask = (action: TableAction) => Steps<unknown>;

/** Answers an action in place of the database. */
export type Answering = (action: TableAction, ask: Ask) => Steps<unknown>;

type Kind = TableAction['kind'];
type ActionOf<One extends Kind> = One extends 'insert' | 'upsert'
  ? InsertAction
  : Extract<TableAction, { readonly kind: One }>;

/** Answers actions of one kind. */
export function answering<One extends Kind>(
  kind: One,
  answer: (action: ActionOf<One>, ask: Ask) => Steps<unknown>,
): Answering {
  return (action, ask) => (action.kind === kind ? answer(action as ActionOf<One>, ask) : ask(action));
}

/** Passes another action to the database than the program requests. */
export function asking<One extends Kind>(
  kind: One,
  change: (action: ActionOf<One>) => Partial<ActionOf<One>>,
): Answering {
  return answering(kind, (action, ask) => ask({ ...action, ...change(action) } as TableAction));
}

/** Changes what the database answers. */
export function changing<One extends Kind, Answer = unknown>(
  kind: One,
  change: (answer: Answer, action: ActionOf<One>) => unknown,
): Answering {
  return answering(kind, function* (action, ask) {
    return change((yield* ask(action as TableAction)) as Answer, action);
  });
}

/** Changes each row of a `get` and a `find`. */
export function inRows(change: (row: Row) => Row): Answering {
  return function* (action, ask) {
    const answer = yield* ask(action);
    if (action.kind === 'find') return (answer as readonly Row[]).map(change);
    const isRow = action.kind === 'get' && !isJoined(action) && answer !== undefined;
    return isRow ? change(answer as Row) : answer;
  };
}

export function isJoined({ references }: GetAction): boolean {
  return references !== undefined;
}

/** A fault in the answers of single steps, with a state of each subject. */
export function inSteps(breaks: string, how: string, open: () => Answering): DatabaseFault {
  return {
    breaks,
    how,
    breaking: () => {
      const answer = open();
      return (database) => answeredBy(database, answer);
    },
  };
}

/** Faults in the answers of single steps, of one promise, by what is wrong. */
export function inEachOf(
  breaks: string,
  faults: Readonly<Record<string, () => Answering>>,
): readonly DatabaseFault[] {
  return Object.entries(faults).map(([how, open]) => inSteps(breaks, how, open));
}

/** A fault of the calls of a database. */
export function inCalls(breaks: string, how: string, breaking: Breaking): DatabaseFault {
  return { breaks, how, breaking };
}

/** Snapshots that read what is stored now, even after their end. */
export function withLiveSnapshots(database: Database): Partial<Database> {
  return {
    openSnapshot: async (signal) => {
      const { close } = await database.openSnapshot(signal);
      return { read: (query, args, another) => database.read(query, args, another), close };
    },
  };
}

function answeredBy(database: Database, answer: Answering): Partial<Database> {
  const asked = <Args, Result>(query: Query<Args, Result>): Query<Args, Result> => ({
    ...query,
    run: (args) => answered(query.run(args), answer) as Steps<Result, 'read'>,
  });
  return {
    read: (query, args, signal) => database.read(asked(query), args, signal),
    snapshot: (query, args, signal) => database.snapshot(asked(query), args, signal),
    write: (program, args) =>
      database.write(
        run(program, (steps) => answered(steps, answer)),
        args,
      ),
  };
}

/** Replaces the steps of a program. */
export function run<Args, Result>(
  program: Program<Args, Result>,
  change: (steps: Steps<Result>) => Steps<Result>,
): Program<Args, Result> {
  return { ...program, run: (args) => change(program.run(args)) };
}

/** Writes when a program ends, so that it does not see what it wrote itself. */
export function* writingLast<Result>(steps: Steps<Result>): Steps<Result> {
  const writes: TableAction[] = [];
  const result = yield* answered(steps, function* (action, asked) {
    if (!WRITES.includes(action.kind)) return yield* asked(action);
    writes.push(action);
    return undefined;
  });
  for (const action of writes) yield* ask(action);
  return result;
}

const WRITES: readonly string[] = ['insert', 'upsert', 'update', 'remove'];

/** Changes the results of several steps that were requested together. */
export type ChangingList = (results: readonly unknown[]) => unknown;

/** Runs steps, and answers each action by `answering`. */
export function* answered<Result>(
  steps: Steps<Result>,
  answer: Answering,
  list?: ChangingList,
): Steps<Result> {
  let next = steps.next();
  while (next.done !== true) {
    let result: unknown;
    try {
      result = yield* answersTo(next.value, answer, list);
    } catch (error) {
      next = steps.throw(error);
      continue;
    }
    next = steps.next(result);
  }
  return next.value;
}

function* answersTo({ action }: Step<unknown>, answer: Answering, list?: ChangingList): Steps<unknown> {
  if (action.kind === 'nothing') return undefined;
  if (action.kind === 'all') {
    const results: unknown[] = [];
    for (const step of action.steps) results.push(yield* answersTo(step, answer, list));
    return list === undefined ? results : list(results);
  }
  return yield* answer(action, ask);
}

/** Asks the database without checking locks: a fault may request other rows than the program. */
export function ask(action: TableAction): Steps<unknown> {
  return unlocked({ action } as Step<unknown>)[Symbol.iterator]();
}

/** Runs each step of a program as a program of its own, and lets others run in between. */
export async function stepByStep<Args, Result>(
  database: Database,
  program: Program<Args, Result>,
  args: Args,
): Promise<Result> {
  const steps = program.run(args);
  let next = steps.next();
  while (next.done !== true) {
    const step = next.value;
    try {
      const one: Program<Args, unknown> = { ...program, run: () => step[Symbol.iterator]() };
      next = steps.next(await database.write(one, args));
    } catch (error) {
      next = steps.throw(error);
    }
    await database.pause();
  }
  return next.value;
}
