const CAPACITY = 10_000;

/** Returns whether anything may have been committed since its last call. */
export interface Changes {
  hasChanged(): boolean;
}

/** Caches rows of one statement until something is committed to the database. */
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
    // The row may or may not include a commit during the read, so the next call must read again.
    if (this.#changes.hasChanged()) this.#rows.clear();
    else if (row !== undefined) {
      if (this.#rows.size >= CAPACITY) this.#rows.clear();
      this.#rows.set(key, row);
    }
    return row;
  }
}
