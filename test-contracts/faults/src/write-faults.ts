import { Fault } from '@pinfold/core';
import { type Database, type InsertAction, StepError, type Steps } from '@pinfold/core/records';
import {
  type Answering,
  type Ask,
  answered,
  answering,
  asking,
  type ChangingList,
  changing,
  type DatabaseFault,
  inCalls,
  inEachOf,
  inRows,
  inSteps,
  type Row,
  run,
  writingLast,
} from './faulty-database.ts';

/** Inserts a book otherwise than the database; `known` has the same primary key. */
type Inserting = (action: InsertAction, known: Row | undefined, ask: Ask) => Steps<unknown>;

function inserting(insert: Inserting): Answering {
  return answering('insert', function* (action, ask) {
    const { isbn } = action.row;
    if (isbn === undefined) return yield* ask(action);
    const known = yield* ask({ kind: 'get', table: action.table, key: { isbn } });
    return yield* insert(action, known as Row | undefined, ask);
  });
}

/** Changes what a write rejects with. */
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

/** Finds rows as they were given to a handle, or as it answered them before: the objects of the caller themselves. */
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
    'a row whose key is taken is left out': () =>
      inserting(function* (action, known, ask) {
        return known === undefined ? yield* ask(action) : undefined;
      }),
    'a row whose key is taken replaces the other one': () =>
      inserting(function* (action, known, ask) {
        if (known === undefined) return yield* ask(action);
        const { isbn, ...changes } = action.row;
        return yield* ask({ ...action, kind: 'update', key: { isbn }, changes });
      }),
    'null is taken once there is one': () =>
      inserting(function* (action, _, ask) {
        const { table, row } = action;
        const others = yield* ask({ kind: 'find', table, where: { code: null }, limit: 1 });
        if (row.code === null && (others as readonly Row[]).length > 0) throw new Error('null is taken');
        return yield* ask(action);
      }),
  }),
  rejecting(
    'insert-taken',
    'a key that is taken is a fault',
    (cause) => new Fault('store_unavailable', 'the key is taken', { cause }),
  ),
  rejecting('errors', 'the error of the database is passed on', ({ cause }) => cause),
  rejecting('errors', 'an error names no column', (error) =>
    error instanceof StepError ? new StepError({ ...error, columns: [] }, error.cause) : error,
  ),
  rejecting('errors', 'an error has no cause', (error) =>
    error instanceof StepError ? new StepError(error, undefined) : error,
  ),
  rejecting('errors', 'an error has values in its message', (error) =>
    Object.assign(error, { message: `${error.message}: isbn-00001` }),
  ),
  ...inEachOf('upsert', {
    'null replaces no value': () =>
      answering('upsert', function* (action, ask) {
        const { table, row } = action;
        const known = yield* ask({ kind: 'get', table, key: { name: row.name } });
        return yield* ask({
          ...action,
          row: { ...row, label: row.label ?? (known as Row | undefined)?.label ?? null },
        });
      }),
    'the first row stays': () =>
      answering('upsert', function* (action, ask) {
        const { table, row } = action;
        const known = yield* ask({ kind: 'get', table, key: { name: row.name } });
        return known === undefined ? yield* ask(action) : undefined;
      }),
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
    'columns that are not named are emptied': () =>
      asking('update', ({ changes }) => ({ changes: { pages: 0, ...changes } })),
    'every row of the table changes': () =>
      answering('update', function* (action, ask) {
        const { code, ...changes } = action.changes;
        const { table } = action;
        const rows = (yield* ask({ kind: 'find', table, where: {} })) as readonly Row[];
        for (const { isbn } of rows) yield* ask({ ...action, key: { isbn }, changes });
        return yield* ask(action);
      }),
  }),
  ...inEachOf('remove', {
    'a row stays': () => asking('remove', () => ({ key: { isbn: 'none' } })),
    'a row that is not there is an error': () =>
      answering('remove', function* (action, ask) {
        const known = yield* ask({ kind: 'get', table: action.table, key: action.key });
        if (known === undefined) throw new Error('there is none');
        return yield* ask(action);
      }),
    'the key of a removed row stays taken': keepingKeys,
  }),
  ...inEachOf('sequence', {
    'numbers count down': () => inRows((row) => ({ ...row, number: 1_000_000 - Number(row.number) })),
    'a number is given twice': () => inRows((row) => ({ ...row, number: Math.ceil(Number(row.number) / 2) })),
  }),
  inLists('results come in reverse', (results) => results.toReversed()),
  inLists('nested results are flat', (results) => results.flat()),
  inLists('no steps result in nothing', (results) => (results.length > 0 ? results : undefined)),
  inCalls('all', 'steps do not see those before them', () => (database) => ({
    write: (program, args) => database.write(run(program, writingLast), args),
  })),
  inSteps('many', 'a range has at most 999 rows', () =>
    changing('find', (rows: readonly Row[]) => rows.slice(0, 999)),
  ),
  inCalls('many', 'a program writes at most 999 rows', writingAtMost(999)),
  inCalls('caller', 'what a caller gave is answered', sharingObjects(true)),
  inCalls('caller', 'what was answered is answered again', sharingObjects(false)),
];
