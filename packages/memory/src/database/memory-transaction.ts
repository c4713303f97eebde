import type {
  AnyTable,
  DistinctAction,
  FindAction,
  GetAction,
  InsertAction,
  MaxAction,
  Range,
  ReadAction,
  ScanAction,
  TableAction,
  UpdateAction,
  Where,
  WriteAction,
} from '@pinfold/core/records';
import type { GuardCheck } from './guard-check.ts';
import { compareValues, inRange, matches, type Row } from './matching.ts';
import {
  type Change,
  copyOf,
  keyText,
  type MemoryTables,
  membersOf,
  rowAfter,
  storable,
  takenKey,
} from './memory-tables.ts';

/** Whether no row behind this one is wanted. */
type IsLast = (row: Row) => boolean;

/**
 * The steps of one program. They see what is committed at that moment, and what the program wrote itself; what it wrote
 * is committed at its end, all at once.
 */
export class MemoryTransaction {
  readonly #tables: MemoryTables;
  readonly #guards: GuardCheck | undefined;
  readonly #changes: Map<AnyTable, Map<string, Change>> = new Map();

  /** Without a guard check it reads, or writes as if it held every lock. */
  constructor(tables: MemoryTables, guards?: GuardCheck) {
    this.#tables = tables;
    this.#guards = guards;
  }

  answer(action: TableAction, isUnlocked: boolean): unknown {
    const guards = isUnlocked ? undefined : this.#guards;
    switch (action.kind) {
      case 'insert':
      case 'upsert':
      case 'update':
      case 'remove':
        this.#write(action, guards);
        return undefined;
      default:
        return this.#read(action, guards);
    }
  }

  commit(): void {
    this.#tables.commit(this.#changes);
  }

  #write(action: WriteAction, guards: GuardCheck | undefined): void {
    const { table } = action;
    const key = keyText(table, 'row' in action ? action.row : action.key);
    const before = this.#row(table, key);
    const change = this.#changeOf(action, before);
    const after = rowAfter(change, before);
    guards?.write(table, before, after);
    if (after !== undefined) this.#expectFree(table, key, after);
    const changes = this.#changes.get(table) ?? new Map<string, Change>();
    this.#changes.set(table, changes.set(key, joined(changes.get(key), change)));
  }

  /** At each step, as databases check it: a key that is only free at the end is taken. */
  #expectFree(table: AnyTable, key: string, row: Row): void {
    for (const members of table.unique) {
      if (members.some((member) => row[member] === null)) continue;
      for (const other of this.#rows(table, membersOf(row, members))) {
        const isTaken = members.every((member) => other[member] === row[member]);
        if (isTaken && keyText(table, other) !== key) throw takenKey(table, members);
      }
    }
  }

  #changeOf(action: WriteAction, before: Row | undefined): Change {
    if (action.kind === 'remove') return { kind: 'removed' };
    if (action.kind === 'update') return { kind: 'members', members: changesIn(action) };
    const { table, kind } = action;
    if (kind === 'insert' && before !== undefined) throw takenKey(table, table.key);
    return { kind: 'row', row: this.#newRow(action), isNew: kind === 'insert' };
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

  #read(action: ReadAction, guards: GuardCheck | undefined): unknown {
    switch (action.kind) {
      case 'get':
        return this.#get(action, guards);
      case 'find': {
        const { limit = Number.POSITIVE_INFINITY, offset = 0 } = action;
        const found = this.#rowsIn(action, countTo(offset + limit)).slice(offset, offset + limit);
        guards?.readMany(action.table, action.where, found);
        return found.map((row) => copyOf(action.table, row, action.select));
      }
      case 'scan':
        return this.#scan(action, guards);
      case 'aggregate':
        guards?.readMany(action.table, action.where, undefined);
        return totalsOf([...this.#rows(action.table, action.where)], action.sum);
      case 'max': {
        // The first one in descending order.
        const values = this.#valuesIn(
          action,
          guards,
          { order: [action.column], descending: true },
          countTo(1),
        );
        return values.toSorted(compareValues).at(-1) ?? 0;
      }
      case 'distinct': {
        const { after, limit } = action;
        return [...new Set(this.#valuesIn(action, guards))]
          .filter((value) => after === undefined || compareValues(value, after) > 0)
          .toSorted(compareValues)
          .slice(0, limit);
      }
    }
  }

  /** The values in a column but null. */
  #valuesIn(
    { table, where, column }: MaxAction | DistinctAction,
    guards: GuardCheck | undefined,
    range?: Range<Row, string, string>,
    isLast?: IsLast,
  ): readonly unknown[] {
    guards?.readMany(table, where, undefined);
    const values = [...this.#rows(table, where, range, isLast)].map((row) => row[column]);
    return values.filter((value) => value !== null);
  }

  #get(action: GetAction, guards: GuardCheck | undefined): unknown {
    const { table, key, select, references } = action;
    const row = this.#row(table, keyText(table, key));
    guards?.readOne(table, { ...key, ...row });
    if (row === undefined) return undefined;
    if (references === undefined) return copyOf(table, row, select);
    return this.joined(table, row, { select, references }, guards);
  }

  /** A row with those that it refers to. */
  joined(
    table: AnyTable,
    row: Row,
    { select, references = {} }: Pick<GetAction, 'references' | 'select'>,
    guards?: GuardCheck,
  ): unknown {
    const found = Object.entries(references).map(([member, columns]) => {
      const to = (table.references[member] as () => AnyTable)();
      const other = this.#row(to, JSON.stringify([row[member]]));
      if (other !== undefined) guards?.readOne(to, other);
      return [member, other && copyOf(to, other, columns)];
    });
    return { row: copyOf(table, row, select), references: Object.fromEntries(found) };
  }

  #scan(action: ScanAction, guards: GuardCheck | undefined): unknown {
    const { table, where, filter, order, limit, maxScanned, select } = action;
    const [isScanned, isFull] = [countTo(maxScanned), countTo(limit)];
    const isLast: IsLast = (row) => isScanned() || (matches(row, filter) && isFull());
    const scanned = this.#rowsIn(action, isLast).slice(0, maxScanned);
    const rows = scanned.filter((row) => matches(row, filter)).slice(0, limit);
    guards?.readMany(table, where, rows);
    const last = scanned.length === maxScanned && rows.length < limit ? scanned.at(-1) : undefined;
    return {
      rows: rows.map((row) => copyOf(table, row, select)),
      scannedTo: last && copyOf(table, last, order),
    };
  }

  /** The rows of a range in its order, before its offset and limit, up to the last one that is wanted at least. */
  #rowsIn(action: FindAction | ScanAction, isLast: IsLast): readonly Row[] {
    const { table, where } = action;
    return inRange(this.#rows(table, where, action, isLast), action);
  }

  #row(table: AnyTable, key: string): Row | undefined {
    const committed = this.#tables.rowsOf(table).get(key);
    const change = this.#changes.get(table)?.get(key);
    return change === undefined ? committed : rowAfter(change, committed);
  }

  /** The rows that meet conditions: those that an index has in order only up to the last one that is wanted. */
  *#rows(
    table: AnyTable,
    where: Where<Row>,
    range: Range<Row, string, string> = {},
    isLast: IsLast = () => false,
  ): Generator<Row> {
    const changes = this.#changes.get(table);
    for (const key of changes?.keys() ?? []) {
      const row = this.#row(table, key);
      if (row !== undefined && matches(row, where)) yield row;
    }
    const { rows, isInOrder } = this.#tables.rowsOf(table).search(where, range);
    for (const [key, row] of rows) {
      if (changes?.has(key) === true || !matches(row, where)) continue;
      yield row;
      if (isInOrder && isLast(row)) return;
    }
  }
}

/** Is true from the nth call on. */
function countTo(n: number): () => boolean {
  let count = 0;
  return () => {
    count += 1;
    return count >= n;
  };
}

/** A change after another one of the same row. */
function joined(first: Change | undefined, next: Change): Change {
  if (first === undefined) return next;
  if (next.kind === 'row') {
    // A row that was removed before may be inserted again, whatever is committed.
    return { ...next, isNew: first.kind === 'row' ? first.isNew : first.kind === 'members' && next.isNew };
  }
  if (next.kind === 'removed') return next;
  if (first.kind === 'removed') return first;
  if (first.kind === 'members') return { ...first, members: { ...first.members, ...next.members } };
  return { ...first, row: { ...first.row, ...next.members } };
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
