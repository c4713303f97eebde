import type { Observe, PasswordHasher, UseCases } from '@pinfold/core';
import type { Observer } from '@pinfold/core/adapter';
import type { Uploads } from '@pinfold/http';
import type { ViewerStatistics } from '@pinfold/viewer';
import type { Health } from '../health/health.ts';
import {
  addBuildInfo,
  addCacheMetrics,
  addHealthMetrics,
  addPoolMetrics,
  addQueueMetrics,
  measureFreeSpace,
  measureLoopDelay,
  type Pool,
} from './gauges.ts';
import type { MetricsSnapshot } from './metrics-snapshot.ts';
import { addProcessMetrics } from './process-metrics.ts';
import { createPublishingMetrics } from './publishing-metrics.ts';
import { Registry } from './registry.ts';
import { type CountRequest, createRequestMetrics } from './request-metrics.ts';
import { createStoreObserver } from './store-metrics.ts';
import { createSweepMetrics, type SweepMetrics } from './sweep-metrics.ts';

export interface Metrics {
  readonly request: CountRequest;
  readonly observe: Observe;
  readonly observer: Observer;
  readonly sweeps: SweepMetrics;
  countCalls<Cases extends UseCases>(useCases: Cases, passwords: PasswordHasher): Cases;
  /** Adds gauges of health, of the disk that receives uploads, and of the database connections. */
  measure(health: Health, free: () => Promise<number>, pool: Pool | undefined): void;
  uploads(uploads: Uploads): void;
  readonly viewer: (registry: ViewerStatistics) => void;
  snapshot(): MetricsSnapshot;
  close(): void;
}

export function createMetrics({ version, node }: { version: string; node: string }): Metrics {
  const registry = new Registry();
  addBuildInfo(registry, version, node);
  addProcessMetrics(registry);
  const publishing = createPublishingMetrics(registry);
  const sweeps = createSweepMetrics(registry);
  const addQueue = addQueueMetrics(registry);
  const endedHelp = 'Sessions ended because a new one exceeded a limit.';
  const sessionsEnded = registry.counter('pinfold_sessions_ended_total', endedHelp, ['reason']);
  sessionsEnded.at('limit');
  return {
    request: createRequestMetrics(registry),
    observe: (measurement) => {
      publishing.observe(measurement);
      sweeps.observe(measurement);
      if (measurement.kind === 'sessions_ended')
        sessionsEnded.at(measurement.reason).value += measurement.count;
    },
    observer: createStoreObserver(registry),
    sweeps,
    countCalls: (useCases, { queue }) => {
      const { publishing: places } = useCases.limits;
      if (queue !== undefined) addQueue('hashes', () => queue);
      // Publications beyond the limit wait for a place.
      addQueue('publications', () => {
        const begun = publishing.inProgress();
        return { running: Math.min(begun, places), waiting: Math.max(0, begun - places) };
      });
      return publishing.countCalls(useCases);
    },
    measure: (health, free, pool) => {
      addHealthMetrics(registry, health);
      measureFreeSpace(registry, free);
      if (pool !== undefined) addPoolMetrics(registry, pool);
    },
    uploads: ({ queue }) => addQueue('uploads', () => queue),
    viewer: ({ bodies, sites, inflations }) => {
      addCacheMetrics(registry, { bodies, sites });
      addQueue('inflations', () => inflations);
    },
    snapshot: () => registry.snapshot(),
    close: measureLoopDelay(registry),
  };
}
