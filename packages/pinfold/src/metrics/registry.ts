import { type Family, labelsOf, type Merging, type MetricsSnapshot } from './metrics-snapshot.ts';

/** The bound holds for any input of clients. */
const MAX_SERIES = 500;

/** The upper bounds of a duration's buckets, in seconds. */
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
    let at = 0;
    while (at < this.#bounds.length && seconds > (this.#bounds[at] ?? 0)) at += 1;
    this.values[at] = (this.values[at] ?? 0) + 1;
    const sum = this.#bounds.length + 1;
    this.values[sum] = (this.values[sum] ?? 0) + seconds;
  }
}

export class Metric {
  readonly #names: readonly string[];
  readonly #max: number;
  readonly #made: Map<string, Series> = new Map();
  readonly #family: Omit<Family, 'series'>;

  constructor(family: Omit<Family, 'series'>, names: readonly string[], most: number = MAX_SERIES) {
    this.#family = family;
    this.#names = names;
    this.#max = most;
  }

  /** The series of these labels. Beyond the most series it is that of `other`. Callers on hot paths should cache it. */
  at(...values: readonly string[]): Series {
    const labels = labelsOf(this.#names, values);
    const known = this.#made.get(labels);
    if (known !== undefined) return known;
    if (this.#made.size >= this.#max && values.some((value) => value !== 'other')) {
      return this.at(...values.map(() => 'other'));
    }
    const made = new Series(this.#family.bounds);
    this.#made.set(labels, made);
    return made;
  }

  get family(): Family {
    const series = Object.fromEntries([...this.#made].map(([labels, { values }]) => [labels, values]));
    return { ...this.#family, series };
  }
}

export class Registry {
  readonly #registry: Metric[] = [];
  readonly #measuring: (() => void)[] = [];

  counter(name: string, help: string, labels: readonly string[] = [], maxSeries?: number): Metric {
    return this.#add({ name, help, type: 'counter', merging: 'sum', bounds: [] }, labels, maxSeries);
  }

  gauge(name: string, help: string, labels: readonly string[] = [], merging: Merging = 'sum'): Metric {
    return this.#add({ name, help, type: 'gauge', merging, bounds: [] }, labels);
  }

  /** A gauge without a series until one is asked for by {@link Metric.at}: what is not known yet is no 0. */
  unknownGauge(name: string, help: string, merging: Merging): Metric {
    return this.#add({ name, help, type: 'gauge', merging, bounds: [] }, undefined);
  }

  /** How often something took how long, in seconds. */
  histogram(
    name: string,
    help: string,
    labels: readonly string[] = [],
    bounds: readonly number[] = SECONDS,
  ): Metric {
    return this.#add({ name, help, type: 'histogram', merging: 'sum', bounds }, labels);
  }

  /** Measures something before each snapshot. */
  measure(measuring: () => void): void {
    this.#measuring.push(measuring);
  }

  /** The figures now; their numbers may be those that are counted further, so read them at once. */
  snapshot(): MetricsSnapshot {
    for (const measure of this.#measuring) measure();
    return Object.fromEntries(this.#registry.map(({ family }) => [family.name, family]));
  }

  /** @param labels undefined for a figure without labels whose series is not there at first. */
  #add(family: Omit<Family, 'series'>, labels: readonly string[] | undefined, most?: number): Metric {
    const measurement = new Metric(family, labels ?? [], most);
    if (labels?.length === 0) measurement.at();
    this.#registry.push(measurement);
    return measurement;
  }
}
