import { labelsOf } from './exposition.ts';
import type { Family, Merging, Snapshot } from './metrics-snapshot.ts';

/** One number of a figure. */
export interface Series {
  value: number;
}

/** The bound holds for any input of clients. */
const MOST_SERIES = 500;

/** Where the buckets of a duration end, in seconds. */
const SECONDS: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

/** The series of a figure, one for each set of labels. */
export class SeriesSet<Made> {
  readonly #names: readonly string[];
  readonly #make: () => Made;
  readonly #most: number;
  readonly #made: Map<string, Made> = new Map();

  constructor(names: readonly string[], make: () => Made, most: number = MOST_SERIES) {
    this.#names = names;
    this.#make = make;
    this.#most = most;
    if (names.length === 0) this.at();
  }

  /**
   * The series of these labels, in the order of their names. Beyond the most series it is the one of `other`. Callers on
   * hot paths should cache it.
   */
  at(...values: readonly string[]): Made {
    const labels = labelsOf(this.#names, values);
    const known = this.#made.get(labels);
    if (known !== undefined) return known;
    if (this.#made.size >= this.#most && values.some((value) => value !== 'other')) {
      return this.at(...values.map(() => 'other'));
    }
    const made = this.#make();
    this.#made.set(labels, made);
    return made;
  }

  /** All that there are, by their labels as they are written. */
  series(valuesOf: (made: Made) => readonly number[]): Family['series'] {
    return Object.fromEntries([...this.#made].map(([labels, made]) => [labels, valuesOf(made)]));
  }
}

/** Durations in buckets. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #values: Float64Array;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#values = new Float64Array(bounds.length + 2);
  }

  /** Counts one. */
  observe(seconds: number): void {
    let at = 0;
    while (at < this.#bounds.length && seconds > (this.#bounds[at] ?? 0)) at += 1;
    this.#values[at] = (this.#values[at] ?? 0) + 1;
    const sum = this.#bounds.length + 1;
    this.#values[sum] = (this.#values[sum] ?? 0) + seconds;
  }

  /** The count of each bucket, of what lies beyond the last one, and the sum. */
  get values(): readonly number[] {
    return [...this.#values];
  }
}

/** All figures of a process. */
export class Figures {
  readonly #families: (() => Family)[] = [];
  readonly #measuring: (() => void)[] = [];

  /** A figure that only grows. */
  counter(
    name: string,
    help: string,
    labels: readonly string[] = [],
    mostSeries?: number,
  ): SeriesSet<Series> {
    return this.#plain({ name, help, type: 'counter', merging: 'sum', bounds: [] }, labels, mostSeries);
  }

  /** A figure that goes up and down. */
  gauge(
    name: string,
    help: string,
    labels: readonly string[] = [],
    merging: Merging = 'sum',
  ): SeriesSet<Series> {
    return this.#plain({ name, help, type: 'gauge', merging, bounds: [] }, labels);
  }

  /** How often something took how long, in seconds. */
  histogram(
    name: string,
    help: string,
    labels: readonly string[] = [],
    bounds: readonly number[] = SECONDS,
  ): SeriesSet<Histogram> {
    const set = new SeriesSet(labels, () => new Histogram(bounds));
    this.#families.push(() => {
      const series = set.series(({ values }) => values);
      return { name, help, type: 'histogram', merging: 'sum', bounds, series };
    });
    return set;
  }

  /** Has something measured before each snapshot. */
  measure(measuring: () => void): void {
    this.#measuring.push(measuring);
  }

  snapshot(): Snapshot {
    for (const measure of this.#measuring) measure();
    const families = this.#families.map((family) => family());
    return Object.fromEntries(families.map((family) => [family.name, family]));
  }

  #plain(family: Omit<Family, 'series'>, labels: readonly string[], most?: number): SeriesSet<Series> {
    const set = new SeriesSet<Series>(labels, () => ({ value: 0 }), most);
    this.#families.push(() => ({ ...family, series: set.series(({ value }) => [value]) }));
    return set;
  }
}
