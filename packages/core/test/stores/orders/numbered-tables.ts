import type { MemoryTables } from '@pinfold/memory/internal';
import { type AnyTable, TABLES } from '../../../src/records.ts';

type Row = Readonly<Record<string, unknown>>;

/** Texts that stand for the rows of a table: of all that they hold, and of what a look has. */
interface Texts {
  readonly whole: string;
  readonly compared: string;
}

/** Tables, and numbers for texts that are the same where all their rows are. */
export class NumberedTables {
  readonly tables: MemoryTables;
  readonly #texts: Map<AnyTable, Texts>;

  constructor(tables: MemoryTables, texts?: Map<AnyTable, Texts>) {
    this.tables = tables;
    this.#texts = texts ?? new Map(TABLES.map((table) => [table, textsOf(tables, table)]));
  }

  /** The same rows, which change apart. */
  copy(): NumberedTables {
    return new NumberedTables(this.tables.copy(), new Map(this.#texts));
  }

  /** Looks again at tables whose rows have changed. */
  changed(tables: Iterable<AnyTable>): void {
    for (const table of tables) this.#texts.set(table, textsOf(this.tables, table));
  }

  whole(): string {
    return [...this.#texts.values()].map(({ whole }) => whole).join('|');
  }

  /** Without the numbers of the feed of all accounts, which come later than the events. */
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

/** A number for each row. What an engine assigns is left out: it counts the tries, too, that came to nothing. */
function numbers(isLeftOut: (member: string) => boolean): (table: AnyTable, row: Row) => number {
  const known: WeakMap<Row, number> = new WeakMap();
  const byText = new Map<string, number>();
  return ({ columns }, row) => {
    const before = known.get(row);
    if (before !== undefined) return before;
    const given = Object.keys(columns).filter(
      (member) => columns[member]?.type !== 'sequence' && !isLeftOut(member),
    );
    const text = JSON.stringify(given.map((member) => row[member]));
    const number = byText.get(text) ?? byText.size;
    byText.set(text, number);
    known.set(row, number);
    return number;
  };
}

const wholeNumber = numbers(() => false);
const comparedNumber = numbers((member) => member === 'feedNumber');
