import { Fault } from '@pinfold/core';
import type { Database, InsertAction, Steps } from '@pinfold/core/records';
import {
  type Answering,
  type Ask,
  answered,
  answering,
  asking,
  type ChangingList,
  type DatabaseFault,
  inCalls,
  inEachOf,
  inRows,
  type Row,
  run,
  writingLast,
} from './faulty-database.ts';

/** Inserts a book in a wrong way; `known` has the same primary key. */
type Inserting = (action: InsertAction, known: Row | undefined, ask: Ask) => Steps<unknown>;

function inserting(insert: Inserting): Answering {
  return answering('insert', function* (action, ask) {
    const { isbn } = action.row;
    if (isbn === undefined) return yield* ask(action);
    const known = yield* ask({ kind: 'get', table: action.table, key: { isbn } });
    return yield* insert(action, known as Row | undefined, ask);
  });
}

/** Changes the error of a write. */
function rejecting(breaks: string, how: string, change: (error: Error) => unknown): DatabaseFault {
  return inCalls(breaks, how, () => (database) => ({
    write: (program, args) =>
      database.write(program, args).catch((error: Error) => {
        throw change(error);
      }),
  }));
}

function inLists(how: string, change: ChangingList): DatabaseFault {
  const asked: Answering = (action, ask) => ask(action);
  return inCalls('all', how, () => (database) => ({
    write: (program, args) =>
      database.write(
        run(program, (steps) => answered(steps, asked, change)),
        args,
      ),
  }));
}

/** Answers the objects that a caller gave to a handle, or those that it answered before. */
function sharingObjects(isGiven: boolean) {
  return () => {
    const known = new Map<unknown, Row>();
    const note = (row: Row): void => {
      if (!known.has(row.isbn)) known.set(row.isbn, row);
    };
    return (database: Database): Partial<Database> => ({
      write: (program, args) => {
        const { commands } = args as { readonly commands: readonly { readonly row?: Row }[] };
        if (isGiven) for (const { row } of commands) if (row) note(row);
        return database.write(program, args);
      },
      read: async (query, args, signal) => {
        const results = (await database.read(query, args, signal)) as readonly (readonly Row[])[];
        if (!isGiven) results.flat().forEach(note);
        return results.map((rows) => rows.map((row) => known.get(row.isbn) ?? row)) as never;
      },
    });
  };
}

/** The primary key of a removed book stays taken. */
function keepingKeys(): Answering {
  const removed = new Set<unknown>();
  return function* (action, ask) {
    if (action.kind === 'remove') removed.add(action.key.isbn);
    if (action.kind === 'insert' && removed.has(action.row.isbn)) throw new Error('the key is taken');
    return yield* ask(action);
  };
}

/** One program writes at most `count` rows. */
function writingAtMost(count: number) {
  return () =>
    (database: Database): Partial<Database> => ({
      write: (program, args) =>
        database.write(
          run(program, (steps) => {
            let written = 0;
            return answered(steps, function* (action, ask) {
              if (action.kind === 'insert') written += 1;
              return written > count && action.kind === 'insert' ? undefined : yield* ask(action);
            });
          }),
          args,
        ),
    });
}

export const WRITE_FAULTS: readonly DatabaseFault[] = [
  ...inEachOf('insert-taken', {
    'a row whose key is taken replaces the other one': () =>
      inserting(function* (action, known, ask) {
        if (known === undefined) return yield* ask(action);
        const { isbn, ...changes } = action.row;
        return yield* ask({ ...action, kind: 'update', key: { isbn }, changes });
      }),
  }),
  rejecting(
    'insert-taken',
    'a key that is taken is a fault',
    (cause) => new Fault('store_unavailable', 'the key is taken', { cause }),
  ),
  rejecting('errors', 'the error of the database is passed on', ({ cause }) => cause),
  rejecting('errors', 'an error has values in its message', (error) =>
    Object.assign(error, { message: `${error.message}: isbn-00001` }),
  ),
  ...inEachOf('upsert', {
    'the row of another key is replaced': () =>
      answering('upsert', function* (action, ask) {
        const { table, row } = action;
        const where = { label: row.label ?? 'none' };
        const [taken] = (yield* ask({ kind: 'find', table, where, limit: 1 })) as readonly Row[];
        return yield* ask({ ...action, row: { ...row, name: taken?.name ?? row.name } });
      }),
  }),
  ...inEachOf('update', {
    'null replaces no value': () =>
      asking('update', ({ changes }) => ({
        changes: Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null)),
      })),
  }),
  ...inEachOf('remove', {
    'the key of a removed row stays taken': keepingKeys,
  }),
  ...inEachOf('sequence', {
    'a number is given twice': () => inRows((row) => ({ ...row, number: Math.ceil(Number(row.number) / 2) })),
  }),
  inLists('results come in reverse', (results) => results.toReversed()),
  inCalls('all', 'steps do not see those before them', () => (database) => ({
    write: (program, args) => database.write(run(program, writingLast), args),
  })),
  inCalls('many', 'a program writes at most 999 rows', writingAtMost(999)),
  inCalls('caller', 'what a caller gave is answered', sharingObjects(true)),
  inCalls('caller', 'what was answered is answered again', sharingObjects(false)),
];
