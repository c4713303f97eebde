/** How what several processes of a machine say becomes one: added up, the greatest of them, or the one farthest from 0. */
export type Merging = 'sum' | 'greatest' | 'farthest';

/** All that one process says of one thing; plain enough to be sent to another process. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly merging: Merging;
  /** Where the buckets of a histogram end. */
  readonly bounds: readonly number[];
  /**
   * By labels, as they are written: one number, or of a histogram the count of each bucket, of what lies beyond the last
   * one, and the sum.
   */
  readonly series: Readonly<Record<string, readonly number[]>>;
}

/** What a process has counted and what it measures now, by name. */
export type Snapshot = Readonly<Record<string, Family>>;

/** Puts together what several processes say. */
export function merged(snapshots: readonly Snapshot[]): Snapshot {
  const all: Record<string, Family> = {};
  for (const family of snapshots.flatMap((snapshot) => Object.values(snapshot))) {
    const before = all[family.name];
    all[family.name] = before === undefined ? family : withSeries(before, family);
  }
  return all;
}

/** The counters of a process that has ended, which must never decrease; its gauges are dropped. */
export function counted(snapshot: Snapshot): Snapshot {
  const kept = Object.values(snapshot).filter(({ type }) => type !== 'gauge');
  return Object.fromEntries(kept.map((family) => [family.name, family]));
}

function withSeries(family: Family, { series }: Family): Family {
  const all: Record<string, readonly number[]> = { ...family.series };
  for (const [labels, values] of Object.entries(series)) {
    const before = all[labels];
    all[labels] = before === undefined ? values : values.map((value, at) => merge(family, before[at], value));
  }
  return { ...family, series: all };
}

function merge({ merging }: Family, before: number = 0, value: number): number {
  switch (merging) {
    case 'sum':
      return before + value;
    case 'greatest':
      return Math.max(before, value);
    case 'farthest':
      return Math.abs(value) > Math.abs(before) ? value : before;
    default:
      return merging satisfies never;
  }
}
