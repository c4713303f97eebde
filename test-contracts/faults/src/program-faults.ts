import type { Database, Locks, Program } from '@pinfold/core/records';
import {
  type DatabaseFault,
  inCalls,
  run,
  stepByStep,
  withLiveSnapshots,
  writingLast,
} from './faulty-database.ts';

/** Runs programs of one kind step by step. */
function piecemeal(isMeant: (locks: Locks) => boolean = () => true) {
  return () =>
    (database: Database): Partial<Database> => ({
      write: (program, args) =>
        isMeant(program.locks(args)) ? stepByStep(database, program, args) : database.write(program, args),
    });
}

/** Concurrent calls of a method share the result of the first one. */
function sharing(method: 'read' | 'write') {
  return () =>
    (database: Database): Partial<Database> => {
      let running: Promise<unknown> | undefined;
      const call = database[method].bind(database) as (...inputs: unknown[]) => Promise<unknown>;
      const shared = (...inputs: unknown[]): Promise<unknown> => {
        running ??= call(...inputs).finally(() => {
          running = undefined;
        });
        return running;
      };
      return { [method]: shared };
    };
}

/** Fails a program that needs a lock of another one. */
function refusing() {
  const held = new Set<string>();
  return (database: Database): Partial<Database> => ({
    write: async <Args, Result>(program: Program<Args, Result>, args: Args): Promise<Result> => {
      const { exclusive = [], shared = [] } = program.locks(args);
      if ([...exclusive, ...shared].some((lock) => held.has(lock))) throw new Error('deadlock detected');
      for (const lock of exclusive) held.add(lock);
      try {
        return await database.write(program, args);
      } finally {
        for (const lock of exclusive) held.delete(lock);
      }
    },
  });
}

/** A handle repeats its earlier answer to a call, until it writes itself. */
function remembering(method: 'read' | 'peek' | 'snapshot') {
  return () =>
    (database: Database): Partial<Database> => {
      const answers = new Map<string, unknown>();
      const call = database[method].bind(database) as (...inputs: unknown[]) => unknown;
      return {
        [method]: async (asked: { readonly name: string }, args: unknown) => {
          const question = `${asked.name} ${JSON.stringify(args)}`;
          if (!answers.has(question)) answers.set(question, await call(asked, args));
          return answers.get(question);
        },
        write: (program, args) => {
          answers.clear();
          return database.write(program, args);
        },
      };
    };
}

/** The turns for which a snapshot waits between two steps for another program to end. */
const TURNS = 2_000;

/** Reads each step of a snapshot separately, if possible after another program has ended. */
function readingOn() {
  let written = 0;
  return (database: Database): Partial<Database> => ({
    write: (program, args) =>
      database.write(program, args).finally(() => {
        written += 1;
      }),
    snapshot: async (query, args, signal) => {
      const steps = query.run(args);
      let next = steps.next();
      while (next.done !== true) {
        const step = next.value;
        const one = { ...query, run: () => step[Symbol.iterator]() as never };
        next = steps.next(await database.read(one, args, signal));
        const seen = written;
        for (let turn = 0; turn < TURNS && written === seen; turn += 1) await database.pause();
      }
      return next.value;
    },
  });
}

export const PROGRAM_FAULTS: readonly DatabaseFault[] = [
  inCalls('whole', 'each step of a program is written by itself', piecemeal()),
  inCalls('whole', 'what was written before an error stays', () => (database) => ({
    write: async (program, args) => {
      const outcome: { error?: unknown } = {};
      const result = await database.write(
        run(program, function* (steps) {
          try {
            return yield* steps;
          } catch (error) {
            outcome.error = error;
            return undefined as never;
          }
        }),
        args,
      );
      if ('error' in outcome) throw outcome.error;
      return result;
    },
  })),
  inCalls('own-writes', 'a program does not see what it wrote', () => (database) => ({
    write: (program, args) => database.write(run(program, writingLast), args),
  })),
  inCalls('isolated', 'others see what a program wrote so far', piecemeal()),
  inCalls('answered', 'a handle reads what it read before', remembering('read')),
  inCalls('exclusive', 'others run between the steps of a program', piecemeal()),
  inCalls(
    'shared',
    'others run between the steps of a program that shares its locks',
    piecemeal(({ shared = [] }) => shared.length > 0),
  ),
  inCalls('overlapping', 'a program that would have to wait fails', refusing),
  inCalls('at-once', 'reads at once share an answer', sharing('read')),
  inCalls('snapshot', 'a snapshot reads step by step', readingOn),
  inCalls('snapshot', 'an opened snapshot shows what is written later', () => withLiveSnapshots),
];
