import { Comparison } from '@pinfold/core/records';
import { asking, changing, type DatabaseFault, inEachOf, inSteps, type Row } from './faulty-database.ts';

/** Sorts the rows of a range again, by its first column. */
function sorted(compare: (one: string, other: string) => number) {
  return () =>
    changing('find', (rows: readonly Row[], { order, descending }) => {
      const by: string | undefined = order?.[0];
      if (by === undefined) return rows;
      const own = rows.toSorted((one, other) => compare(String(one[by]), String(other[by])));
      return descending ? own.toReversed() : own;
    });
}

const byCodeUnit = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

interface Scan {
  readonly rows: readonly Row[];
  readonly scannedTo: unknown;
}

interface Totals {
  readonly count: number;
  readonly sum: number;
}

export const RANGE_FAULTS: readonly DatabaseFault[] = [
  ...inEachOf('order', {
    'texts are sorted by code unit': sorted(byCodeUnit),
    'the columns count in reverse': () =>
      asking('find', ({ order }) => ({ order: order?.toReversed() ?? [] })),
  }),
  ...inEachOf('after', {
    'rows that are equal in the first column are left out': () =>
      asking('find', ({ after, where, descending }) =>
        after === undefined
          ? {}
          : {
              after: undefined,
              where: { ...where, pages: new Comparison(descending ? 'lt' : 'gt', after.pages) },
            },
      ),
  }),
  ...inEachOf('limit', {
    'a limit gives one row more': () =>
      asking('find', ({ limit }) => (limit === undefined ? {} : { limit: limit + 1 })),
  }),
  inSteps('select', 'a range gives all columns', () =>
    asking('find', ({ table }) => ({ select: Object.keys(table.columns) })),
  ),
  ...inEachOf('scan', {
    'a scan that reached its limit says where it stopped': () =>
      changing('scan', (scan: Scan, { limit }) =>
        scan.rows.length === limit ? { ...scan, scannedTo: scan.rows.at(-1) } : scan,
      ),
    'a scan of a whole range says where it stopped': () =>
      changing('scan', ({ rows, scannedTo }: Scan) => ({ rows, scannedTo: scannedTo ?? { isbn: 'z' } })),
  }),
  ...inEachOf('aggregate', {
    'a sum has 32 bits': () => changing('aggregate', ({ count, sum }: Totals) => ({ count, sum: sum | 0 })),
  }),
  ...inEachOf('max', {
    'the greatest number is at least 0': () => changing('max', (greatest: number) => Math.max(0, greatest)),
  }),
  ...inEachOf('distinct', {
    'texts are sorted by code unit': () =>
      changing('distinct', (texts: readonly string[]) => texts.toSorted(byCodeUnit)),
    'texts that differ in letter case are one': () =>
      changing('distinct', (texts: readonly string[]) =>
        texts.filter((text, n) => texts.findIndex((one) => one.toLowerCase() === text.toLowerCase()) === n),
      ),
  }),
  ...inEachOf('random', {
    'a change of the shelf is lost': () =>
      asking('update', ({ changes: { shelf: _, ...changes } }) => ({
        changes: Object.keys(changes).length > 0 ? changes : { isRare: false },
      })),
  }),
];
