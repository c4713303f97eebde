import { Comparison } from '@pinfold/core/records';
import { compareValues, type Row } from './matching.ts';

/** The most keys of one part: a key in the midst of a long array would cost the move of all behind it. */
const PART = 512;

/**
 * The keys of rows in the order of some columns, null first, which tell the rows apart. A place is the number of a part
 * times {@link PART}, and of a key in it.
 */
export class RowOrder {
  readonly columns: readonly string[];
  readonly #rowOf: (key: string) => Row;
  readonly #parts: string[][] = [];

  constructor(columns: readonly string[], keys: readonly string[], rowOf: (key: string) => Row) {
    this.columns = columns;
    this.#rowOf = rowOf;
    const sorted = keys.toSorted((one, other) => this.#compare(one, this.#valuesOf(other)));
    for (let n = 0; n < sorted.length; n += PART / 2) this.#parts.push(sorted.slice(n, n + PART / 2));
  }

  add(key: string): void {
    const place = this.#placeOf(this.#valuesOf(key), false);
    const number = Math.min(Math.floor(place / PART), Math.max(this.#parts.length - 1, 0));
    const part = this.#parts[number] ?? [];
    part.splice(place - number * PART, 0, key);
    this.#parts[number] = part;
    if (part.length === PART) this.#parts.splice(number + 1, 0, part.splice(PART / 2));
  }

  /** Call it before the row changes. */
  drop(key: string): void {
    const place = this.#placeOf(this.#valuesOf(key), false);
    const number = Math.floor(place / PART);
    this.#parts[number]?.splice(place % PART, 1);
    if (this.#parts[number]?.length === 0) this.#parts.splice(number, 1);
  }

  /**
   * The keys of rows whose first columns have these values, and of whose next column the comparisons hold.
   *
   * @param after the values of the columns behind the first ones after which to begin, in this direction.
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
    const [first, last] = [Math.floor(from / PART), Math.floor(to / PART)];
    for (let n = 0; n <= last - first; n += 1) {
      const number = descending ? last - n : first + n;
      const start = number * PART;
      const keys = (this.#parts[number] ?? []).slice(Math.max(from - start, 0), Math.max(to - start, 0));
      yield* descending ? keys.reverse() : keys;
    }
  }

  /** The first place at which rows have these values in their first columns, or the first one behind them. */
  #placeOf(values: readonly unknown[], isBehind: boolean): number {
    const isBefore = (key: string | undefined): boolean => {
      const compared = key === undefined ? 1 : this.#compare(key, values);
      return compared < 0 || (isBehind && compared === 0);
    };
    const number = search(this.#parts.length, (n) => isBefore(this.#parts[n]?.at(-1)));
    const part = this.#parts[number] ?? [];
    return number * PART + search(part.length, (n) => isBefore(part[n]));
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

/** How many of the first numbers meet a condition, of which those behind meet it no more. */
function search(count: number, isMet: (n: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isMet(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
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
