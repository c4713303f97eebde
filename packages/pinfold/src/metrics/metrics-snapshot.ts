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

const MERGE: Readonly<Record<Merging, (one: number, other: number) => number>> = {
  sum: (one, other) => one + other,
  greatest: Math.max,
  farthest: (one, other) => (Math.abs(other) > Math.abs(one) ? other : one),
};

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
  return Object.fromEntries(Object.entries(snapshot).filter(([, { type }]) => type !== 'gauge'));
}

function withSeries(family: Family, { series }: Family): Family {
  const merge = MERGE[family.merging];
  const all: Record<string, readonly number[]> = { ...family.series };
  for (const [labels, values] of Object.entries(series)) {
    const before = all[labels];
    all[labels] = before === undefined ? values : values.map((value, at) => merge(before[at] ?? 0, value));
  }
  return { ...family, series: all };
}
