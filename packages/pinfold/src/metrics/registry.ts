import type { Family, Merging, MetricsSnapshot } from './metrics-snapshot.ts';

/** The maximum number of series of a metric, so that requests of clients cannot fill the memory. */
const MAX_SERIES = 500;

/** The upper bounds of the buckets of durations, in seconds. */
const SECONDS: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

/** A number, or durations in buckets: see {@link Family}. */
export class Series {
  readonly values: number[];
  readonly #bounds: readonly number[];

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.values = new Array(bounds.length === 0 ? 1 : bounds.length + 2).fill(0);
  }

  get value(): number {
    return this.values[0] ?? 0;
  }

  set value(value: number) {
    this.values[0] = value;
  }

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && seconds > (this.#bounds[bucket] ?? 0)) bucket += 1;
    this.values[bucket] = (this.values[bucket] ?? 0) + 1;
    const sum = this.#bounds.length + 1;
    this.values[sum] = (this.values[sum] ?? 0) + seconds;
  }
}

export class Metric {
  readonly #names: readonly string[];
  readonly #maxSeries: number;
  readonly #series: Map<string, Series> = new Map();
  readonly #family: Omit<Family, 'series'>;

  constructor(family: Omit<Family, 'series'>, names: readonly string[], maxSeries: number = MAX_SERIES) {
    this.#family = family;
    this.#names = names;
    this.#maxSeries = maxSeries;
  }

  /** The series of these label values, or the series `other` if there are too many. Hot paths should cache it. */
  at(...values: readonly string[]): Series {
    const labels = formatLabels(this.#names, values);
    const known = this.#series.get(labels);
    if (known !== undefined) return known;
    if (this.#series.size >= this.#maxSeries && values.some((value) => value !== 'other')) {
      return this.at(...values.map(() => 'other'));
    }
    const created = new Series(this.#family.bounds);
    this.#series.set(labels, created);
    return created;
  }

  get family(): Family {
    const series = Object.fromEntries([...this.#series].map(([labels, { values }]) => [labels, values]));
    return { ...this.#family, series };
  }
}

export class Registry {
  readonly #metrics: Metric[] = [];
  readonly #updates: (() => void)[] = [];

  counter(name: string, help: string, labels: readonly string[] = [], maxSeries?: number): Metric {
    return this.#add({ name, help, type: 'counter', merging: 'sum', bounds: [] }, labels, maxSeries);
  }

  /** Has no series until {@link Metric.at} creates one, because an unknown value is not 0. */
  gauge(name: string, help: string, labels: readonly string[] = [], merging: Merging = 'sum'): Metric {
    return this.#add({ name, help, type: 'gauge', merging, bounds: [] }, labels);
  }

  /** Counts durations in seconds by bucket. */
  histogram(
    name: string,
    help: string,
    labels: readonly string[] = [],
    bounds: readonly number[] = SECONDS,
  ): Metric {
    return this.#add({ name, help, type: 'histogram', merging: 'sum', bounds }, labels);
  }

  /** Runs an update before each snapshot. */
  beforeSnapshot(update: () => void): void {
    this.#updates.push(update);
  }

  /** Updates a series asynchronously. A snapshot has the previous result, so that a hanging disk does not delay it. */
  updateBeforeSnapshot(series: Series, read: () => Promise<number>): void {
    let isRunning = false;
    const update = async (): Promise<void> => {
      if (isRunning) return;
      isRunning = true;
      series.value = await read();
      isRunning = false;
    };
    void update();
    this.beforeSnapshot(() => void update());
  }

  /** The current metrics. Read them at once: their values are not copied, and may change. */
  snapshot(): MetricsSnapshot {
    for (const update of this.#updates) update();
    return Object.fromEntries(this.#metrics.map(({ family }) => [family.name, family]));
  }

  #add(family: Omit<Family, 'series'>, labels: readonly string[], maxSeries?: number): Metric {
    const metric = new Metric(family, labels, maxSeries);
    this.#metrics.push(metric);
    return metric;
  }
}

/** Formats labels: `route="site",method="GET"`. */
function formatLabels(names: readonly string[], values: readonly string[]): string {
  const escaped = (text: string = ''): string =>
    text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return names.map((name, index) => `${name}="${escaped(values[index])}"`).join(',');
}
