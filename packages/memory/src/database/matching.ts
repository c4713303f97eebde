import { ColumnValue, Comparison, type Range, type Where } from '@pinfold/core/records';

/** A stored row. It is replaced, never changed. */
export type Row = Readonly<Record<string, unknown>>;

/** Creates the test of whether a row meets all conditions: once for many rows. */
export function matching(where: Where<Row>): (row: Row) => boolean {
  const tests = Object.entries(where)
    .filter(([, match]) => match !== undefined)
    .map(([member, match]) => testOf(member, match));
  return (row) => tests.every((test) => test(row));
}

function testOf(member: string, match: unknown): (row: Row) => boolean {
  if (member === 'either') {
    const options = (match as readonly Where<Row>[]).map(matching);
    return (row) => options.some((test) => test(row));
  }
  if (Array.isArray(match)) return (row) => match.every((one) => compares(row, member, one));
  if (match instanceof Comparison) return (row) => compares(row, member, match);
  return (row) => row[member] === match;
}

function compares(row: Row, member: string, { operator, operand }: Comparison<unknown>): boolean {
  const own = row[member];
  if (operator === 'not_null') return own !== null;
  const other = operand instanceof ColumnValue ? row[operand.column] : operand;
  if (own === null || other === null) return false;
  switch (operator) {
    case 'in':
      return (other as readonly unknown[]).includes(own);
    case 'contains':
      return (own as string).includes(other as string);
    case 'lt':
      return compareValues(own, other) < 0;
    case 'lte':
      return compareValues(own, other) <= 0;
    case 'gt':
      return compareValues(own, other) > 0;
    case 'gte':
      return compareValues(own, other) >= 0;
  }
}

/** Whether a condition requires an equal value. */
export function isValue(match: unknown): boolean {
  return match !== undefined && !Array.isArray(match) && !(match instanceof Comparison);
}

/** Filters and sorts rows by a range, without its offset and limit. */
export function inRange(rows: Iterable<Row>, range: Range<Row, string, string>): Row[] {
  const { order = [], descending = false, after } = range;
  const sign = descending ? -1 : 1;
  const compare = (one: Row, other: Row): number => {
    const member = order.find((each) => one[each] !== other[each]);
    return member === undefined ? 0 : sign * compareValues(one[member], other[member]);
  };
  if (after !== undefined && order.some((member) => after[member] === undefined)) {
    throw new TypeError('a place to begin after lacks a column');
  }
  const found = [...rows];
  if (found.some((row) => order.some((member) => row[member] === null))) {
    throw new TypeError('a column to sort by is null');
  }
  return found.filter((row) => after === undefined || compare(row, after) > 0).sort(compare);
}

/** Compares numbers by value, and texts by code point. */
export function compareValues(one: unknown, other: unknown): number {
  if (one === other) return 0;
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(one, other);
  return (one as number) < (other as number) ? -1 : 1;
}

/** Compares by code point: surrogates of characters above U+FFFF sort before U+E000 to U+FFFF by code unit. */
function compareTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let n = 0; n < length; n += 1) {
    const [left, right] = [one.charCodeAt(n), other.charCodeAt(n)];
    if (left === right) continue;
    if (isSurrogate(left) !== isSurrogate(right)) return isSurrogate(left) ? 1 : -1;
    return left - right;
  }
  return one.length - other.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd8_00 && unit <= 0xdf_ff;
}
