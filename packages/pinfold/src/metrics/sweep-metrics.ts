import { before, type Clock, type Observe, type RoleStore, type UseCases } from '@pinfold/core';
import { earlier } from '@pinfold/core/internal';
import type { Snapshot } from '@pinfold/core/moving';
import type { Metric, Registry } from './registry.ts';

const SECONDS = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 600];
const REMOVED = ['reservations', 'attempts', 'uploads', 'archives', 'orphans'] as const;

interface SweepStores {
  readonly roles: Pick<RoleStore, 'countForCleanup' | 'loadComparison'>;
  readonly snapshot: Pick<Snapshot, 'lastScheduledExport'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly limits: Pick<UseCases['limits'], 'cleanupGrace' | 'reservationAge'>;
}

/** Counts what sweeps removed, and what they have not removed yet. */
export interface SweepMetrics {
  readonly observe: Observe;
  /**
   * Counts what is not removed yet, and looks up the last scheduled export. Called before the first sweep and after
   * each successful one.
   */
  update(stores: SweepStores, swept: boolean): Promise<void>;
}

export function createSweepMetrics(registry: Registry): SweepMetrics {
  const gauge = (name: string, help: string, ...labels: readonly string[]): Metric =>
    registry.gauge(`pinfold_sweep_${name}`, help, labels, 'max');
  const seconds = registry.histogram('pinfold_sweep_seconds', 'Duration of sweeps.', [], SECONDS).at();
  const removed = registry.counter('pinfold_sweep_removed_total', 'Items that sweeps removed.', ['what']);
  const failuresHelp = 'Failed attempts of sweeps to remove an archive.';
  const failures = registry.counter('pinfold_sweep_failures_total', failuresHelp).at();
  const end = gauge('end_timestamp_seconds', 'When the last sweep of this node ended.');
  const backlog = gauge('backlog', 'Items that were due for removal and not removed by the sweep.', 'what');
  const age = gauge('comparison_age_seconds', 'Time since a comparison of storage with the records ended.');
  const refused = gauge('refused', 'Whether removal of archives stopped because too many have no record.');
  const missing = gauge('missing_archives', 'Archives of publications that were removed or are missing.');
  const behindHelp = 'How far the clock by which ages are judged was behind at the last sweep of this node.';
  const behind = registry.gauge('pinfold_removal_behind_seconds', behindHelp, [], 'max');
  const publicationsHelp = 'Publications in service, counted by the last sweep of this node.';
  const publications = registry.gauge('pinfold_publications', publicationsHelp, ['pinned'], 'max');
  const storedHelp = 'Bytes of the archives that records name, counted by the last sweep of this node.';
  const storedBytes = registry.gauge('pinfold_stored_bytes', storedHelp, [], 'max');
  const exportedHelp = 'When the last export of the schedule was complete.';
  const exported = registry.gauge('pinfold_export_end_timestamp_seconds', exportedHelp, [], 'max');
  for (const known of [end, age, refused, missing, behind]) known.at();
  for (const what of REMOVED) removed.at(what);
  /** Whether a sweep of this process ended the last comparison that was looked up. */
  let hasCompared = false;
  let comparedAt: number | undefined;
  registry.beforeSnapshot(() => {
    if (comparedAt !== undefined) age.at().value = Math.max(0, Date.now() - comparedAt) / 1_000;
  });
  return {
    observe: (measurement) => {
      if (measurement.kind !== 'sweep') return;
      const { report, took } = measurement;
      seconds.observe(took / 1_000);
      failures.value += report.failures;
      for (const what of REMOVED) removed.at(what).value += report[what];
      hasCompared = report.listing === 'done' || report.listing === 'refused';
      if (hasCompared) missing.at().value = Math.max(report.missing.length, report.withoutArchive.length);
      if (report.stored !== null) {
        publications.at('true').value = report.stored.pinned;
        publications.at('false').value = report.stored.unpinned;
        storedBytes.at().value = report.stored.bytes;
      }
      if (!report.rested && !report.clockDiffers) behind.at().value = report.removalBehind / 1_000;
    },
    update: async ({ roles, snapshot, clock, limits }, swept) => {
      const now = clock.now();
      if (swept) end.at().value = now / 1_000;
      const exportedAt = await snapshot.lastScheduledExport();
      if (exportedAt !== undefined) exported.at().value = exportedAt / 1_000;
      const comparison = (await roles.loadComparison())?.value;
      const judgedAt = earlier(now, comparison?.removal?.reached ?? now);
      const remaining = await roles.countForCleanup({
        now,
        endedBefore: before(judgedAt, limits.cleanupGrace),
        begunBefore: before(judgedAt, limits.reservationAge),
      });
      backlog.at('archives').value = remaining.archives;
      backlog.at('reservations').value = remaining.reservations;
      if (comparison === undefined) return;
      refused.at().value = comparison.isRefused ? 1 : 0;
      if (comparison.isUnderWay) return;
      // Another node has compared since, and its result is newer.
      if (comparison.savedAt !== comparedAt && !hasCompared) missing.at().value = 0;
      comparedAt = comparison.savedAt;
    },
  };
}
