import { readdir } from 'node:fs/promises';
import { isFault, type Observe, type PasswordHasher, type UseCases } from '@pinfold/core';
import type { Observer } from '@pinfold/core/adapter';
import { isPromise, nameOf } from '@pinfold/core/internal';
import type { Uploads } from '@pinfold/http';
import type { ViewerStatistics } from '@pinfold/viewer';
import type { Health } from '../health/health.ts';
import { readOpenFileLimit } from '../server/connection-places.ts';
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
import { createPublishingMetrics } from './publishing-metrics.ts';
import { Registry, type Series } from './registry.ts';
import { type CountRequest, createRequestMetrics } from './request-metrics.ts';
import { createSweepMetrics, type SweepMetrics } from './sweep-metrics.ts';

export interface Metrics {
  readonly countRequest: CountRequest;
  readonly observe: Observe;
  readonly storeObserver: Observer;
  readonly sweeps: SweepMetrics;
  countCalls<Cases extends UseCases>(useCases: Cases, passwords: PasswordHasher): Cases;
  /** Adds gauges of health and of the database connections. */
  measure(health: Health, pool: Pool | undefined): void;
  /** Adds a gauge of the disk that receives uploads. See {@link measureFreeSpace}. */
  measureFreeSpace(freeBytes: () => Promise<number>): () => Promise<number>;
  addUploads(uploads: Uploads): void;
  readonly addViewer: (statistics: ViewerStatistics) => void;
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
    countRequest: createRequestMetrics(registry),
    observe: (measurement) => {
      publishing.observe(measurement);
      sweeps.observe(measurement);
      if (measurement.kind === 'sessions_ended')
        sessionsEnded.at(measurement.reason).value += measurement.count;
    },
    storeObserver: createStoreObserver(registry),
    sweeps,
    countCalls: (useCases, { queue }) => {
      const { publishing: limit } = useCases.limits;
      if (queue !== undefined) addQueue('hashes', () => queue);
      // Publications beyond the limit wait for a place.
      addQueue('publications', () => {
        const begun = publishing.inProgress();
        return { running: Math.min(begun, limit), waiting: Math.max(0, begun - limit) };
      });
      return publishing.countCalls(useCases);
    },
    measure: (health, pool) => {
      addHealthMetrics(registry, health);
      if (pool !== undefined) addPoolMetrics(registry, pool);
    },
    measureFreeSpace: (freeBytes) => measureFreeSpace(registry, freeBytes),
    addUploads: ({ queue }) => addQueue('uploads', () => queue),
    addViewer: ({ bodies, sites, inflations }) => {
      addCacheMetrics(registry, { bodies, sites });
      addQueue('inflations', () => inflations);
    },
    snapshot: () => registry.snapshot(),
    close: measureLoopDelay(registry),
  };
}

const OPEN_FILES = '/proc/self/fd';

/** Measures the process, under the names of Prometheus' client libraries. */
function addProcessMetrics(registry: Registry): void {
  const memoryHelp = 'Resident memory of all processes.';
  const memory = registry.gauge('process_resident_memory_bytes', memoryHelp).at();
  const cpu = registry.counter('process_cpu_seconds_total', 'CPU time of all processes.').at();
  const startHelp = 'Start of the oldest process.';
  const start = registry.gauge('process_start_time_seconds', startHelp, [], 'min').at();
  start.value = performance.timeOrigin / 1_000;
  registry.beforeSnapshot(() => {
    memory.value = process.memoryUsage.rss();
    const { user, system } = process.cpuUsage();
    cpu.value = (user + system) / 1e6;
  });
  addOpenFiles(registry);
}

/** Adds the metrics of open files. Only Linux has this folder; elsewhere they are absent. */
function addOpenFiles(registry: Registry): void {
  const limit = readOpenFileLimit();
  if (limit === undefined) return;
  registry.gauge('process_max_fds', 'Limit of open files of the processes.').at().value = limit;
  const open = registry.gauge('process_open_fds', 'Open files and sockets.').at();
  registry.updateBeforeSnapshot(open, async () => {
    const files = await readdir(OPEN_FILES).catch(() => []);
    // Minus the folder itself, which is open while it is read.
    return Math.max(0, files.length - 1);
  });
}

function createStoreObserver(registry: Registry): Observer {
  const secondsHelp = 'Duration of calls of the database and the storage.';
  const durations = registry.histogram('pinfold_store_seconds', secondsHelp, ['store', 'operation']);
  const labels = ['store', 'operation', 'code'];
  const errorsHelp = 'Calls of the database and the storage that failed.';
  const errors = registry.counter('pinfold_store_errors_total', errorsHelp, labels);
  return (call, operation, store) => {
    if (store === 'inspector') return call;
    // Created by the first call, so that unused operations have no series.
    let seconds: Series | undefined;
    const measure = (startedAt: number): void => {
      seconds ??= durations.at(store, operation);
      seconds.observe((performance.now() - startedAt) / 1_000);
    };
    return (...args) => {
      const startedAt = performance.now();
      const returned = call(...args);
      if (!isPromise(returned)) {
        measure(startedAt);
        return returned;
      }
      return returned.then(
        (result: unknown) => {
          measure(startedAt);
          return result;
        },
        (error: unknown) => {
          measure(startedAt);
          // An aborted call is not a failure of the store.
          const isAborted = nameOf(error) === 'AbortError';
          const code = isFault(error) ? error.code : 'internal_error';
          if (!isAborted) errors.at(store, operation, code).value += 1;
          throw error;
        },
      );
    };
  };
}
