/** How the values of several processes become one: added up, the greatest, the least, or the one farthest from 0. */
export type Merging = 'sum' | 'greatest' | 'least' | 'farthest';

/** All that one process says of one thing; plain enough to be sent to another process. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly merging: Merging;
  readonly bounds: readonly number[];
  /**
   * By labels, as they are written: one number, or of a histogram the count of each bucket, of what lies beyond the last
   * one, and the sum.
   */
  readonly series: Readonly<Record<string, readonly number[]>>;
}

/** The counters and gauges of a process, by name. */
export type MetricsSnapshot = Readonly<Record<string, Family>>;

const MERGE: Readonly<Record<Merging, (one: number, other: number) => number>> = {
  sum: (one, other) => one + other,
  greatest: Math.max,
  least: Math.min,
  farthest: (one, other) => (Math.abs(other) > Math.abs(one) ? other : one),
};

export function merged(snapshots: readonly MetricsSnapshot[]): MetricsSnapshot {
  const all: Record<string, Family> = {};
  for (const family of snapshots.flatMap((snapshot) => Object.values(snapshot))) {
    const before = all[family.name];
    all[family.name] = before === undefined ? family : withSeries(before, family);
  }
  return all;
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

/** The counters of a process that has ended, which must never decrease; its gauges are dropped. */
export function counted(snapshot: MetricsSnapshot): MetricsSnapshot {
  return Object.fromEntries(Object.entries(snapshot).filter(([, { type }]) => type !== 'gauge'));
}

/** Writes figures as Prometheus reads them, format 0.0.4. */
export function exposition(snapshot: MetricsSnapshot): string {
  const families = Object.values(snapshot).sort((a, b) => (a.name < b.name ? -1 : 1));
  const lines = families.flatMap((family) => [
    `# HELP ${family.name} ${family.help}`,
    `# TYPE ${family.name} ${family.type}`,
    ...Object.entries(family.series).flatMap(([labels, values]) => seriesLines(family, labels, values)),
  ]);
  return lines.map((line) => `${line}\n`).join('');
}

/** Labels as they are written: `route="site",method="GET"`. */
export function labelsOf(names: readonly string[], values: readonly string[]): string {
  const escaped = (text: string = ''): string =>
    text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return names.map((name, at) => `${name}="${escaped(values[at])}"`).join(',');
}

function seriesLines(
  { name, type, bounds }: Family,
  labels: string,
  values: readonly number[],
): readonly string[] {
  const line = (suffix: string, value: number = 0, ...more: readonly string[]): string => {
    const all = [labels, ...more].filter((label) => label !== '').join(',');
    return `${name}${suffix}${all === '' ? '' : `{${all}}`} ${value}`;
  };
  if (type !== 'histogram') return [line('', values[0])];
  let count = 0;
  const buckets = [...bounds, '+Inf'].map((bound, at) => {
    count += values[at] ?? 0;
    return line('_bucket', count, `le="${bound}"`);
  });
  return [...buckets, line('_sum', values.at(-1)), line('_count', count)];
}
