import { before, type Clock, type Measurement, type RoleStore, type UseCases } from '@pinfold/core';
import type { Figures, Histogram, Series, SeriesSet } from './registry.ts';

const LENGTHS = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 600];
const REMOVED = ['reservations', 'attempts', 'uploads', 'archives', 'orphans'] as const;

/** Where it is looked up what sweeps leave. */
export interface SweepStores {
  readonly roles: Pick<RoleStore, 'countForCleanup' | 'loadComparison'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly limits: Pick<UseCases['limits'], 'cleanupGrace' | 'reservationAge'>;
}

/** Counts what sweeps do, and what they leave. */
export class SweepFigures {
  readonly #seconds: Histogram;
  readonly #removed: SeriesSet<Series>;
  readonly #failures: Series;
  readonly #end: SeriesSet<Series>;
  readonly #backlog: SeriesSet<Series>;
  readonly #age: SeriesSet<Series>;
  readonly #refused: SeriesSet<Series>;
  readonly #missing: SeriesSet<Series>;
  /** Whether the comparison that was looked up last is one that a sweep of this process ended. */
  #hasCompared = false;
  #comparedAt: number | undefined;

  constructor(figures: Figures, now: () => number) {
    const gauge = (name: string, help: string, labels: readonly string[] = []): SeriesSet<Series> =>
      figures.gauge({ name: `pinfold_sweep_${name}`, help, labels }, 'greatest');
    this.#seconds = figures
      .histogram({ name: 'pinfold_sweep_seconds', help: 'How long sweeps took.', labels: [] }, LENGTHS)
      .at();
    this.#removed = figures.counter({
      name: 'pinfold_sweep_removed_total',
      help: 'What sweeps removed.',
      labels: ['what'],
    });
    const failures = 'Archives that a sweep could not remove, each time that it tried.';
    this.#failures = figures.counter({ name: 'pinfold_sweep_failures_total', help: failures }).at();
    this.#end = gauge('end_timestamp_seconds', 'When the last sweep of this node ended.');
    this.#backlog = gauge('backlog', 'What was to be removed and was still there after the sweep.', ['what']);
    this.#age = gauge('comparison_age_seconds', 'Since a comparison of storage with the records ended.');
    this.#refused = gauge('refused', 'Whether no archive is removed, since too many have no record.');
    this.#missing = gauge('missing_archives', 'Published archives that the storage does not have.');
    for (const what of REMOVED) this.#removed.at(what);
    figures.measure(() => {
      if (this.#comparedAt !== undefined)
        this.#age.at().value = Math.max(0, now() - this.#comparedAt) / 1_000;
    });
  }

  /** Takes the core's measurement of a sweep. */
  readonly observe = (figure: Measurement): void => {
    if (figure.kind !== 'sweep') return;
    const { report, took } = figure;
    this.#seconds.observe(took / 1_000);
    this.#failures.value += report.failures;
    for (const what of REMOVED) this.#removed.at(what).value += report[what];
    this.#hasCompared = report.listing === 'done' || report.listing === 'refused';
    if (this.#hasCompared) this.#missing.at().value = report.missing.length;
  };

  /** Looks up what is left, after a sweep or before the first one. */
  async look({ roles, clock, limits }: SweepStores): Promise<void> {
    const now = clock.now();
    const left = await roles.countForCleanup({
      now,
      endedBefore: before(now, limits.cleanupGrace),
      begunBefore: before(now, limits.reservationAge),
    });
    this.#backlog.at('archives').value = left.archives;
    this.#backlog.at('reservations').value = left.reservations;
    const comparison = (await roles.loadComparison())?.value;
    if (comparison === undefined) return;
    this.#refused.at().value = comparison.isRefused ? 1 : 0;
    if (comparison.isUnderWay) return;
    // Another node has compared since, and knows better what is missing.
    if (comparison.keptAt !== this.#comparedAt && !this.#hasCompared) this.#missing.at().value = 0;
    this.#comparedAt = comparison.keptAt;
  }

  /** Notes that a sweep has ended well. */
  ended(at: number): void {
    this.#end.at().value = at / 1_000;
  }
}
