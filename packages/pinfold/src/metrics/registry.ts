import { labelsOf } from './exposition.ts';
import type { Family, Merging, Snapshot } from './metrics-snapshot.ts';

/** Name, help and label names of a metric. */
export interface FigureOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly Label[];
  /** How many series it has at most; 500 when absent. Further ones are counted as `other`. */
  readonly mostSeries?: number;
}

/** One number of a figure. */
export interface Series {
  value: number;
}

/** The bound holds for any input of clients. */
const MOST_SERIES = 500;

/** Where the buckets of a duration end, in seconds. */
export const SECONDS: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

/** The cells of a figure, one for each set of labels. */
export class SeriesSet<Made> {
  readonly #names: readonly string[];
  readonly #make: () => Made;
  readonly #most: number;
  readonly #cells: Map<string, Made> = new Map();

  constructor(names: readonly string[], make: () => Made, most: number = MOST_SERIES) {
    this.#names = names;
    this.#make = make;
    this.#most = most;
    if (names.length === 0) this.at();
  }

  /** The cell of these labels, in the order of their names. Callers on hot paths should cache it. */
  at(...values: readonly string[]): Made {
    const labels = labelsOf(this.#names, values);
    const known = this.#cells.get(labels);
    if (known !== undefined) return known;
    if (this.#cells.size >= this.#most && values.some((value) => value !== 'other')) {
      return this.at(...values.map(() => 'other'));
    }
    const made = this.#make();
    this.#cells.set(labels, made);
    return made;
  }

  /** All that there are, by their labels as they are written. */
  series(valuesOf: (cell: Made) => readonly number[]): Family['series'] {
    return Object.fromEntries([...this.#cells].map(([labels, cell]) => [labels, valuesOf(cell)]));
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
  counter<Label extends string>(options: FigureOptions<Label>): SeriesSet<Series> {
    return this.#plain(options, 'counter', 'sum');
  }

  /** A figure that goes up and down. */
  gauge<Label extends string>(options: FigureOptions<Label>, merging: Merging = 'sum'): SeriesSet<Series> {
    return this.#plain(options, 'gauge', merging);
  }

  /** How often something took how long, in seconds. */
  histogram<Label extends string>(
    { name, help, labels = [], mostSeries }: FigureOptions<Label>,
    bounds: readonly number[] = SECONDS,
  ): SeriesSet<Histogram> {
    const cells = new SeriesSet(labels, () => new Histogram(bounds), mostSeries);
    this.#families.push(() => {
      const series = cells.series(({ values }) => values);
      return { name, help, type: 'histogram', merging: 'sum', bounds, series };
    });
    return cells;
  }

  /** Has something measured before each snapshot. */
  measure(measuring: () => void): void {
    this.#measuring.push(measuring);
  }

  snapshot(): Snapshot {
    for (const measure of this.#measuring) measure();
    return Object.fromEntries(
      this.#families.map((family) => family()).map((family) => [family.name, family]),
    );
  }

  #plain<Label extends string>(
    { name, help, labels = [], mostSeries }: FigureOptions<Label>,
    type: 'counter' | 'gauge',
    merging: Merging,
  ): SeriesSet<Series> {
    const cells = new SeriesSet<Series>(labels, () => ({ value: 0 }), mostSeries);
    this.#families.push(() => {
      return { name, help, type, merging, bounds: [], series: cells.series(({ value }) => [value]) };
    });
    return cells;
  }
}
