import { Comparison } from '@pinfold/core/records';
import { compareValues, type Row } from './matching.ts';

/** The keys of rows in the order of some columns, null first, which tell the rows apart. */
export class RowOrder {
  readonly columns: readonly string[];
  readonly #rowOf: (key: string) => Row;
  readonly #keys: string[];

  constructor(columns: readonly string[], keys: readonly string[], rowOf: (key: string) => Row) {
    this.columns = columns;
    this.#rowOf = rowOf;
    this.#keys = keys.toSorted((one, other) => this.#compare(one, this.#valuesOf(other)));
  }

  add(key: string): void {
    this.#keys.splice(this.#placeOf(this.#valuesOf(key), false), 0, key);
  }

  /** Call it before the row changes. */
  drop(key: string): void {
    this.#keys.splice(this.#placeOf(this.#valuesOf(key), false), 1);
  }

  /**
   * The keys of rows whose first columns have these values, and of whose next column the comparisons hold, from behind
   * these values `after` the first ones on. No row may change meanwhile.
   */
  *between(
    prefix: readonly unknown[],
    match: unknown,
    descending: boolean,
    after?: readonly unknown[],
  ): Generator<string> {
    let [from, to] = [this.#placeOf(prefix, false), this.#placeOf(prefix, true)];
    for (const { operator, operand } of comparisonsIn(match)) {
      const place = this.#placeOf([...prefix, operand], operator === 'gt' || operator === 'lte');
      if (operator === 'gt' || operator === 'gte') from = Math.max(from, place);
      else to = Math.min(to, place);
    }
    if (after !== undefined) {
      const place = this.#placeOf([...prefix, ...after], !descending);
      if (descending) to = Math.min(to, place);
      else from = Math.max(from, place);
    }
    for (let n = 0; n < to - from; n += 1) yield this.#keys[descending ? to - 1 - n : from + n] as string;
  }

  /** The first place at which rows have these values in their first columns, or the first one behind them. */
  #placeOf(values: readonly unknown[], isBehind: boolean): number {
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const compared = this.#compare(this.#keys[middle] as string, values);
      if (compared < 0 || (isBehind && compared === 0)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compare(key: string, values: readonly unknown[]): number {
    const row = this.#rowOf(key);
    for (let n = 0; n < values.length; n += 1) {
      const [own, other] = [row[this.columns[n] as string], values[n]];
      if (own === other) continue;
      if (own === null || other === null) return own === null ? -1 : 1;
      return compareValues(own, other);
    }
    return 0;
  }

  #valuesOf(key: string): readonly unknown[] {
    const row = this.#rowOf(key);
    return this.columns.map((column) => row[column]);
  }
}

/** The comparisons with a value that bound a range. */
export function comparisonsIn(match: unknown): readonly Comparison<unknown>[] {
  const all = Array.isArray(match) ? match : [match];
  return all.filter(
    (one) =>
      one instanceof Comparison &&
      ['lt', 'lte', 'gt', 'gte'].includes(one.operator) &&
      !(one.operand instanceof Object),
  );
}
