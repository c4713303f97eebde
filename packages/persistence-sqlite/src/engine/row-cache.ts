/** The most rows that are kept. */
const CAPACITY = 10_000;

/** Tells whether anything may have been committed since it was asked last. */
export interface Changes {
  hasChanged(): boolean;
}

/** Keeps rows of one statement for as long as nothing is committed to the database. */
export class RowCache<Row> {
  readonly #changes: Changes;
  readonly #read: (key: string) => Row | undefined;
  readonly #rows: Map<string, Row> = new Map();

  constructor(changes: Changes, read: (key: string) => Row | undefined) {
    this.#changes = changes;
    this.#read = read;
  }

  /** The row that a read transaction begun now would give. Callers share it and must not change it. */
  get(key: string): Row | undefined {
    if (this.#changes.hasChanged()) this.#rows.clear();
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const row = this.#read(key);
    // A commit during the read may be in the row or not: then the next call has to read again.
    if (this.#changes.hasChanged()) this.#rows.clear();
    else if (row !== undefined) this.#keep(key, row);
    return row;
  }

  #keep(key: string, row: Row): void {
    if (this.#rows.size >= CAPACITY) this.#rows.clear();
    this.#rows.set(key, row);
  }
}
