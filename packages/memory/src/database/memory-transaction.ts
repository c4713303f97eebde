import type {
  AnyTable,
  DistinctAction,
  FindAction,
  GetAction,
  InsertAction,
  MaxAction,
  ScanAction,
  TableAction,
  UpdateAction,
  Where,
  WriteAction,
} from '@pinfold/core/records';
import type { GuardCheck } from './guard-check.ts';
import { compareValues, inRange, matching, type Row } from './matching.ts';
import { copyOf, keyText, type MemoryTables, storable } from './memory-table.ts';

/** Makes the row after a write from the row before it. */
type Write = (before: Row | undefined) => Row | undefined;

/** Runs the steps of one program. They see committed rows and the program's own writes, which are committed at its end. */
export class MemoryTransaction {
  readonly #tables: MemoryTables;
  readonly #guards: GuardCheck | undefined;
  /** The writes to each row, by its key, in the order of the steps. */
  readonly #writes: Map<AnyTable, Map<string, readonly Write[]>> = new Map();

  /** @param guards checks the locks of a program; absent for queries, which need none. */
  constructor(tables: MemoryTables, guards?: GuardCheck) {
    this.#tables = tables;
    this.#guards = guards;
  }

  answer(action: TableAction, isUnlocked: boolean): unknown {
    const guards = isUnlocked ? undefined : this.#guards;
    switch (action.kind) {
      case 'get':
        return this.#get(action, guards);
      case 'find': {
        const { limit = Number.POSITIVE_INFINITY, offset = 0 } = action;
        const found = this.#rowsIn(action).slice(offset, offset + limit);
        guards?.checkReads(action.table, action.where, found);
        return found.map((row) => copyOf(action.table, row, action.select));
      }
      case 'scan':
        return this.#scan(action, guards);
      case 'aggregate':
        guards?.checkReads(action.table, action.where, undefined);
        return totalsOf([...this.#rows(action.table, action.where)], action.sum);
      case 'max':
        return this.#valuesIn(action, guards).toSorted(compareValues).at(-1) ?? 0;
      case 'distinct': {
        const { after, limit } = action;
        return [...new Set(this.#valuesIn(action, guards))]
          .filter((value) => after === undefined || compareValues(value, after) > 0)
          .toSorted(compareValues)
          .slice(0, limit);
      }
      default:
        return this.#write(action, guards);
    }
  }

  /** Commits the writes. Throws and changes nothing if another program has taken a unique key meanwhile. */
  commit(): void {
    const after = [...this.#writes].flatMap(([table, writes]) =>
      [...writes.keys()].map((key) => ({ table, key, row: this.#row(table, key) })),
    );
    for (const { table, key, row } of after) this.#expectFree(table, key, row);
    for (const { table, key, row } of after) this.#tables.rowsOf(table).set(key, row);
  }

  #write(action: WriteAction, guards: GuardCheck | undefined): void {
    const { table } = action;
    const key = keyText(table, 'row' in action ? action.row : action.key);
    const before = this.#row(table, key);
    const write = this.#writeOf(action);
    const after = write(before);
    guards?.checkWrite(table, before, after);
    this.#expectFree(table, key, after);
    const writes = this.#writes.get(table) ?? new Map<string, readonly Write[]>();
    this.#writes.set(table, writes.set(key, [...(writes.get(key) ?? []), write]));
  }

  /** Checks unique keys at each step, like a database: a key that becomes free only by a later step is taken. */
  #expectFree(table: AnyTable, key: string, row: Row | undefined): void {
    for (const members of table.unique) {
      if (row === undefined || members.some((member) => row[member] === null)) continue;
      const equal = Object.fromEntries(members.map((member) => [member, row[member]]));
      for (const other of this.#rows(table, equal))
        if (keyText(table, other) !== key) throw takenKey(table, members);
    }
  }

  #writeOf(action: WriteAction): Write {
    if (action.kind === 'remove') return () => undefined;
    if (action.kind === 'update') {
      const changes = changesIn(action);
      return (before) => before && { ...before, ...changes };
    }
    const { table, kind } = action;
    const row = this.#newRow(action);
    return (before) => {
      if (kind === 'insert' && before !== undefined) throw takenKey(table, table.key);
      return row;
    };
  }

  #newRow({ table, row }: InsertAction): Row {
    const assigned = Object.entries(table.columns)
      .filter(([, { type }]) => type === 'sequence')
      .map(([member]) => [member, this.#tables.nextInSequence()]);
    const whole = storable(table, { ...row, ...Object.fromEntries(assigned) });
    const missing = Object.keys(table.columns).find((member) => !(member in whole));
    if (missing !== undefined) throw new TypeError(`${table.name}.${missing} is missing`);
    return whole;
  }

  /** The values in a column, without null. */
  #valuesIn(
    { table, where, column }: MaxAction | DistinctAction,
    guards: GuardCheck | undefined,
  ): readonly unknown[] {
    guards?.checkReads(table, where, undefined);
    const values = [...this.#rows(table, where)].map((row) => row[column]);
    return values.filter((value) => value !== null);
  }

  #get(action: GetAction, guards: GuardCheck | undefined): unknown {
    const { table, key, select, references } = action;
    const row = this.#row(table, keyText(table, key));
    guards?.checkRead(table, { ...key, ...row });
    if (row === undefined) return undefined;
    if (references === undefined) return copyOf(table, row, select);
    return this.joinReferences(table, row, { select, references }, guards);
  }

  /** Reads the rows that a row refers to. */
  joinReferences(
    table: AnyTable,
    row: Row,
    { select, references = {} }: Pick<GetAction, 'references' | 'select'>,
    guards?: GuardCheck,
  ): unknown {
    const found = Object.entries(references).map(([member, columns]) => {
      const to = (table.references[member] as () => AnyTable)();
      const other = this.#row(to, JSON.stringify([row[member]]));
      if (other !== undefined) guards?.checkRead(to, other);
      return [member, other && copyOf(to, other, columns)];
    });
    return { row: copyOf(table, row, select), references: Object.fromEntries(found) };
  }

  #scan(action: ScanAction, guards: GuardCheck | undefined): unknown {
    const { table, where, filter, order, limit, maxScanned, select } = action;
    const scanned = this.#rowsIn(action).slice(0, maxScanned);
    const rows = scanned.filter(matching(filter)).slice(0, limit);
    guards?.checkReads(table, where, rows);
    const last = scanned.length === maxScanned && rows.length < limit ? scanned.at(-1) : undefined;
    return {
      rows: rows.map((row) => copyOf(table, row, select)),
      scannedTo: last && copyOf(table, last, order),
    };
  }

  /** The rows of a range in its order, without its offset and limit. */
  #rowsIn(action: FindAction | ScanAction): readonly Row[] {
    return inRange(this.#rows(action.table, action.where), action);
  }

  #row(table: AnyTable, key: string): Row | undefined {
    const writes = this.#writes.get(table)?.get(key) ?? [];
    return writes.reduce((row, write) => write(row), this.#tables.rowsOf(table).get(key));
  }

  *#rows(table: AnyTable, where: Where<Row>): Generator<Row> {
    const writes = this.#writes.get(table);
    const matches = matching(where);
    for (const key of writes?.keys() ?? []) {
      const row = this.#row(table, key);
      if (row !== undefined && matches(row)) yield row;
    }
    for (const [key, row] of this.#tables.rowsOf(table).search(where)) {
      if (writes?.has(key) !== true && matches(row)) yield row;
    }
  }
}

function changesIn({ table, changes }: UpdateAction): Row {
  const fixed = Object.keys(changes).find(
    (member) => table.key.includes(member) || table.columns[member]?.type === 'sequence',
  );
  if (fixed !== undefined) throw new TypeError(`${table.name}.${fixed} does not change`);
  return storable(table, changes);
}

function totalsOf(rows: readonly Row[], sum: string | undefined): unknown {
  const values = sum === undefined ? [] : rows.map((row) => row[sum] as number | null);
  return { count: rows.length, sum: values.reduce<number>((total, value) => total + (value ?? 0), 0) };
}

function takenKey(table: AnyTable, members: readonly string[]): Error {
  return new Error(`the key ${members.join(', ')} of ${table.name} is taken`);
}
