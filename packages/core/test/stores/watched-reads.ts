import { createMemoryDatabase } from '@pinfold/memory';
import {
  type Access,
  type AnyTable,
  Comparison,
  type Database,
  type DatabaseSchema,
  isWrite,
  type Lookup,
  type Query,
  type Step,
  type Steps,
  type Where,
} from '../../src/records.ts';

type Row = Readonly<Record<string, unknown>>;

/** The rows that steps of one program read of one table, always with the same columns. */
interface Read {
  /** The program and the table. */
  readonly place: string;
  /** The columns that are read, except those of the key, which identify the rows. */
  readonly columns: readonly string[];
  readonly used: Set<string>;
}

/** Records which columns of their rows programs use or return, and which reads are unbounded. */
export class WatchedReads {
  readonly #reads: Map<string, Read> = new Map();
  readonly #unlimited: Set<string> = new Set();
  readonly #unsorted: Set<string> = new Set();
  readonly #invalid: Set<string> = new Set();
  readonly #programs: Set<string> = new Set();

  /** The columns that were read and not used, each as the program, the table and the column. */
  unused(): readonly string[] {
    return [...this.#reads.values()].flatMap(({ place, columns, used }) =>
      columns.filter((column) => !used.has(column)).map((column) => `${place}.${column}`),
    );
  }

  /** Steps that name a missing column of the table or the read row, or a missing value. */
  invalid(): readonly string[] {
    return [...this.#invalid];
  }

  /** The reads with neither a limit nor a condition on the keys of the rows. */
  unlimited(): readonly string[] {
    return [...this.#unlimited].toSorted();
  }

  /** The programs with a read of several rows up to a limit, in no order. */
  unsorted(): readonly string[] {
    return [...this.#unsorted].toSorted();
  }

  /** A database in memory whose programs are watched. */
  open(schema: DatabaseSchema): Database {
    const memory = createMemoryDatabase(schema);
    const watched = <Args, Result>(query: Query<Args, Result>): Query<Args, Result> => ({
      ...query,
      run: (args) => this.#watch(query.name, query.run(args)),
    });
    const overrides: Pick<Database, 'read' | 'snapshot' | 'openSnapshot' | 'peek' | 'write'> = {
      read: (query, args, signal) => memory.read(watched(query), args, signal),
      snapshot: (query, args, signal) => memory.snapshot(watched(query), args, signal),
      openSnapshot: async (signal) => {
        const { read, close } = await memory.openSnapshot(signal);
        return { read: (query, args, aborted) => read(watched(query), args, aborted), close };
      },
      peek: (lookup, key, signal) => memory.peek(this.#watchedLookup(lookup), key, signal),
      write: (program, args) => {
        const run = (own: typeof args) => this.#watch(program.name, program.run(own));
        return memory.write({ ...program, run }, args);
      },
    };
    return Object.assign(memory.peer(), overrides);
  }

  /** The names of the programs and queries that ran. */
  programs(): readonly string[] {
    return [...this.#programs];
  }

  *#watch<Result, Kind extends Access>(program: string, steps: Steps<Result, Kind>): Steps<Result, Kind> {
    this.#programs.add(program);
    let next = steps.next();
    while (next.done !== true) {
      const answer: unknown = yield next.value;
      next = steps.next(this.#watchAnswer(program, next.value, answer));
    }
    return this.#returned(next.value) as Result;
  }

  #watchedLookup<Value>(lookup: Lookup<Value>): Lookup<Value> {
    const { name, table, references, select } = lookup;
    const make = (found: never): Value =>
      this.#returned(lookup.make(this.#joined(name, table, { references, select }, found) as never)) as Value;
    return { ...lookup, make };
  }

  #watchAnswer(program: string, step: Step<unknown>, answer: unknown): unknown {
    const { action } = step;
    if (action.kind === 'all') {
      return action.steps.map((one, n) => this.#watchAnswer(program, one, (answer as unknown[])[n]));
    }
    if (action.kind === 'nothing') return answer;
    const { table } = action;
    const wanted: unknown[] = 'key' in action ? Object.values(action.key) : [];
    if ('where' in action) wanted.push(...operandsIn(action.where));
    if (wanted.some((value) => value === undefined || ('key' in action && value === null))) {
      this.#invalid.add(`${program} ${table.name}`);
    }
    if (isWrite(step)) return answer;
    if (action.kind === 'distinct' && action.limit === undefined)
      this.#unlimited.add(`${program} ${table.name}`);
    if (action.kind === 'find') {
      // All columns count together, even if no row was found.
      if (action.select === undefined) this.#readOf(program, table, undefined);
      const { limit, order = [], descending = false, where } = action;
      const place = `${program} ${table.name}`;
      if (limit === undefined && !isByKey(table, where)) this.#unlimited.add(place);
      if (limit !== undefined && limit > 1 && order.length === 0) this.#unsorted.add(program);
      const isOrdered =
        order.every((column) => column in table.columns) && !(descending && order.length === 0);
      if (!isOrdered) this.#invalid.add(place);
      return (answer as readonly Row[]).map((row) => this.#row(program, table, action.select, row));
    }
    if (action.kind === 'scan') {
      const { rows, scannedTo } = answer as { readonly rows: readonly Row[]; readonly scannedTo: unknown };
      return { rows: rows.map((row) => this.#row(program, table, action.select, row)), scannedTo };
    }
    if (action.kind !== 'get' || answer === undefined) return answer;
    const { references, select } = action;
    if (references === undefined) return this.#row(program, table, select, answer as Row);
    return this.#joined(program, table, { references, select }, answer);
  }

  #joined(
    program: string,
    table: AnyTable,
    { references, select }: Pick<Lookup<unknown>, 'references'> & { readonly select: Selection },
    found: unknown,
  ): unknown {
    const { row, references: others } = found as { readonly row: Row; readonly references: Row };
    const joined = Object.entries(others).map(([member, other]) => {
      const to = table.references[member]?.();
      if (to === undefined || other === undefined) return [member, other];
      return [member, this.#row(program, to, references[member], other as Row)];
    });
    return { row: this.#row(program, table, select, row), references: Object.fromEntries(joined) };
  }

  #readOf(program: string, table: AnyTable, select: Selection): Read {
    const place = `${program} ${table.name}`;
    const id = JSON.stringify([place, select]);
    const all = Object.keys(table.columns);
    const columns = (select ?? all).filter((column) => !table.key.includes(column));
    const read = this.#reads.get(id) ?? { place, columns, used: new Set<string>() };
    this.#reads.set(id, read);
    return read;
  }

  /** Wraps a row to record which columns are read. */
  #row(program: string, table: AnyTable, select: Selection, row: Row): Row {
    const place = `${program} ${table.name}`;
    const all = Object.keys(table.columns);
    if (select?.length === 0 || select?.some((column) => !all.includes(column))) this.#invalid.add(place);
    const { used } = this.#readOf(program, table, select);
    const record = (column: string | symbol): void => {
      if (typeof column !== 'string') return;
      used.add(column);
      if (all.includes(column) && !(column in row)) this.#invalid.add(`${place}.${column}`);
    };
    return new Proxy(row, {
      get: (target, column, receiver) => {
        record(column);
        return Reflect.get(target, column, receiver);
      },
    });
  }

  /** Unwraps the result of a program: its caller may use all of it. */
  #returned(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((one) => this.#returned(one));
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype) return value;
    return Object.fromEntries(Object.entries(value).map(([member, one]) => [member, this.#returned(one)]));
  }
}

type Selection = readonly string[] | undefined;

/** The values with which conditions compare. */
function operandsIn(where: Where<Row>): readonly unknown[] {
  return Object.values(where)
    .flat()
    .filter((match) => match instanceof Comparison && match.operator !== 'not_null')
    .map((match) => (match as Comparison<unknown>).operand);
}

/** Whether conditions name the rows: by one value of each column of a key, or by a list of values. */
function isByKey({ key, unique }: AnyTable, where: Where<Row>): boolean {
  const isNamed = (column: string): boolean => {
    const match = where[column];
    if (match instanceof Comparison) return match.operator === 'in';
    return match !== undefined && !Array.isArray(match);
  };
  return [key, ...unique].some((columns) => columns.every(isNamed));
}
