import {
  type AnyTable,
  aggregate,
  all,
  type ColumnValue,
  Comparison,
  column,
  type Database,
  type DatabaseSchema,
  defineLookup,
  defineProgram,
  defineQuery,
  distinct,
  find,
  get,
  getWith,
  insert,
  isWrite,
  type Lookup,
  max,
  type Operator,
  type Program,
  type Query,
  remove,
  type Step,
  type Steps,
  scan,
  unlocked,
  update,
  upsert,
  type Where,
} from '@pinfold/core/records';
import { BOOKS, type Book, SHELVES, type Shelf, shelfLock, TABLE_BY_NAME } from './tables.ts';

type Values = Readonly<Record<string, unknown>>;

/** A comparison as plain data. */
export interface PlainComparison {
  readonly operator: Operator;
  readonly operand?: unknown;
  /** The column that is the operand. */
  readonly column?: string;
}

/** Conditions as plain data. */
export type PlainWhere = Readonly<Record<string, unknown>>;

interface OfTable {
  readonly table?: 'books' | 'shelves';
}

/** One step as plain data, on books unless it names the other table. */
export type Command = OfTable &
  (
    | {
        readonly kind: 'get';
        readonly key: Values;
        readonly select?: readonly string[];
        readonly references?: Readonly<Record<string, readonly string[]>>;
      }
    | { readonly kind: 'find'; readonly where?: PlainWhere; readonly range?: Values }
    | {
        readonly kind: 'scan';
        readonly where?: PlainWhere;
        readonly filter: PlainWhere;
        readonly range: Values;
      }
    | { readonly kind: 'aggregate'; readonly where?: PlainWhere; readonly sum?: string }
    | { readonly kind: 'max'; readonly where?: PlainWhere; readonly column: string }
    | {
        readonly kind: 'distinct';
        readonly where?: PlainWhere;
        readonly column: string;
        readonly range: Values;
      }
    | { readonly kind: 'insert' | 'upsert'; readonly row: object }
    | { readonly kind: 'update'; readonly key: Values; readonly changes: Values }
    | { readonly kind: 'remove'; readonly key: Values }
    | { readonly kind: 'all'; readonly commands: readonly Command[] }
    /** Reads a book and adds to its pages. */
    | { readonly kind: 'add pages'; readonly isbn: string; readonly pages: number }
    /** Throws, as a program with a bug does. */
    | { readonly kind: 'throw'; readonly message: string }
  );

/** The input of a program. */
export interface Work {
  readonly commands: readonly Command[];
  /** The shelves that it locks exclusively, and those that it shares. */
  readonly shelves?: readonly string[];
  readonly shared?: readonly string[];
  /** Whether it reads without the locks of the rows. */
  readonly isUnlocked?: boolean;
}

function whereOf(where: PlainWhere = {}): Where<Values> {
  return Object.fromEntries(
    Object.entries(where).map(([member, match]) => [
      member,
      member === 'either' ? (match as readonly PlainWhere[]).map(whereOf) : matchOf(match),
    ]),
  );
}

function matchOf(match: unknown): unknown {
  if (Array.isArray(match)) return match.map(matchOf);
  if (typeof match !== 'object' || match === null) return match;
  const { operator, operand, column: name } = match as PlainComparison;
  const of: ColumnValue | undefined = name === undefined ? undefined : column(name);
  return new Comparison(operator, of ?? operand);
}

function stepOf(command: Command): Step<unknown> {
  const table = TABLE_BY_NAME[command.table ?? 'books'];
  const where = whereOf('where' in command ? command.where : {}) as Where<object>;
  switch (command.kind) {
    case 'get':
      return command.references === undefined
        ? get(table, command.key as never, command.select as never)
        : getWith(table, command.key as never, command.references, command.select as never);
    case 'find':
      return find(table, where, command.range as object);
    case 'scan':
      return scan(table, where, whereOf(command.filter) as Where<object>, command.range as never);
    case 'aggregate':
      return aggregate(table, where, command.sum as never);
    case 'max':
      return max(table, where, command.column as never);
    case 'distinct':
      return distinct(table, where, command.column as never, command.range as never);
    case 'insert':
      return insert<AnyTable>(table, command.row);
    case 'upsert':
      return upsert(SHELVES, command.row as Shelf);
    case 'update':
      return update(table, command.key as never, command.changes as never);
    case 'remove':
      return remove(table, command.key as never);
    case 'all':
      return all(...command.commands.map(stepOf));
    default:
      throw new TypeError(`${command.kind} is not a single step`);
  }
}

function* running({ commands, isUnlocked = false }: Work): Steps<readonly unknown[]> {
  const results: unknown[] = [];
  for (const command of commands) {
    if (command.kind === 'throw') throw new Error(command.message);
    if (command.kind === 'add pages') results.push(yield* addingPages(command, isUnlocked));
    else results.push(yield* guarded(stepOf(command), isUnlocked));
  }
  return results;
}

function guarded(step: Step<unknown>, isUnlocked: boolean): Step<unknown> {
  return isUnlocked && !isWrite(step) ? unlocked(step) : step;
}

/** Adds pages to a book; results in its new number of pages. */
function* addingPages(
  { isbn, pages: more }: { readonly isbn: string; readonly pages: number },
  isUnlocked: boolean,
): Steps<number | undefined> {
  const step = get(BOOKS, { isbn });
  const book = yield* isUnlocked ? unlocked(step) : step;
  if (book === undefined) return undefined;
  const pages = book.pages + more;
  yield* update(BOOKS, { isbn }, { pages });
  return pages;
}

/** Runs commands in one program; returns the result of each. */
export const RUN: Program<Work, readonly unknown[]> = defineProgram('library.run', {
  locks: ({ shelves = [], shared = [] }: Work) => ({
    exclusive: shelves.map(shelfLock),
    shared: shared.map(shelfLock),
  }),
  run: running,
});

/** Runs reading commands in one query. */
export const ASK: Query<Work, readonly unknown[]> = defineQuery('library.ask', running as never);

const COLUMNS = Object.keys(BOOKS.columns) as readonly (keyof Book)[];

/** A book by its primary key, with its shelf. */
export const BY_ISBN: Lookup<{ readonly book: Book; readonly shelf: Shelf | undefined }> = defineLookup(
  'library.book',
  {
    table: BOOKS,
    by: 'isbn',
    select: COLUMNS,
    references: { shelf: ['name', 'label', 'size'] },
    make: ({ row, references }) => ({ book: row, shelf: references.shelf }),
  },
);

/** The title of a book by its code. */
export const BY_CODE: Lookup<string> = defineLookup('library.title', {
  table: BOOKS,
  by: 'code',
  select: ['title'],
  references: {},
  make: ({ row }) => row.title,
});

/** The schema of an engine under test. */
export const LIBRARY: DatabaseSchema = { tables: [BOOKS, SHELVES], programs: [RUN, ASK] };

/** Runs commands in one program, which locks the shelves A and B, and may read anything. */
export function run(database: Database, ...commands: readonly Command[]): Promise<readonly unknown[]> {
  return database.write(RUN, { commands, shelves: ['A', 'B'], isUnlocked: true });
}

/** The result of one reading command. */
export async function ask(database: Database, command: Command, signal?: AbortSignal): Promise<unknown> {
  const [result] = await database.read(ASK, { commands: [command] }, signal);
  return result;
}

export function inserting(...books: readonly object[]): readonly Command[] {
  return books.map((row) => ({ kind: 'insert', row }) as const);
}
