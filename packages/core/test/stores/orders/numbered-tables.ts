import type { MemoryTables } from '@pinfold/memory/internal';
import { type AnyTable, TABLES } from '../../../src/records.ts';

type Row = Readonly<Record<string, unknown>>;

/** Texts that stand for the rows of a table: for all of their values, and for those that a read returns. */
interface Texts {
  readonly whole: string;
  readonly compared: string;
}

/** Tables, and a number for each text: equal texts mean equal rows. */
export class NumberedTables {
  readonly tables: MemoryTables;
  readonly #texts: Map<AnyTable, Texts>;

  constructor(tables: MemoryTables, texts?: Map<AnyTable, Texts>) {
    this.tables = tables;
    this.#texts = texts ?? new Map(TABLES.map((table) => [table, textsOf(tables, table)]));
  }

  /** A copy of the rows, which changes separately. */
  copy(): NumberedTables {
    return new NumberedTables(this.tables.copy(), new Map(this.#texts));
  }

  /** Reads tables again whose rows have changed. */
  readAgain(tables: Iterable<AnyTable>): void {
    for (const table of tables) this.#texts.set(table, textsOf(this.tables, table));
  }

  whole(): string {
    return [...this.#texts.values()].map(({ whole }) => whole).join('|');
  }

  /** Like `whole`, without the numbers of the feed of all accounts, which come later than the events. */
  compared(): string {
    return [...this.#texts.values()].map(({ compared }) => compared).join('|');
  }
}

function textsOf(tables: MemoryTables, table: AnyTable): Texts {
  const rows = [...tables.rowsOf(table).search({})].map(([, row]) => row);
  const joined = (numberOf: (table: AnyTable, row: Row) => number): string =>
    rows
      .map((row) => numberOf(table, row))
      .toSorted((one, other) => one - other)
      .join();
  return { whole: joined(wholeNumber), compared: joined(comparedNumber) };
}

/** A number for each row, without the numbers that an engine assigns: those also count failed attempts. */
function numbers(isIgnored: (member: string) => boolean): (table: AnyTable, row: Row) => number {
  const known: WeakMap<Row, number> = new WeakMap();
  const byText = new Map<string, number>();
  return ({ columns }, row) => {
    const before = known.get(row);
    if (before !== undefined) return before;
    const members = Object.keys(columns).filter(
      (member) => columns[member]?.type !== 'sequence' && !isIgnored(member),
    );
    const text = JSON.stringify(members.map((member) => row[member]));
    const number = byText.get(text) ?? byText.size;
    byText.set(text, number);
    known.set(row, number);
    return number;
  };
}

const wholeNumber = numbers(() => false);
const comparedNumber = numbers((member) => member === 'feedNumber');
