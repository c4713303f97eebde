import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ViewerStatistics } from '@pinfold/viewer';
import { MAX_CONNECTIONS } from '../compose/stores.ts';
import type { DependencyState } from '../health/dependency.ts';
import type { Health } from '../health/health.ts';
import type { Registry } from './registry.ts';

export function addBuildInfo(registry: Registry, version: string, node: string): void {
  const labels = ['version', 'node'];
  const build = registry.gauge('pinfold_build_info', 'The release of this node.', labels, 'max');
  build.at(version, node).value = 1;
}

/** Keeps a maximum visible for this time, longer than the interval at which Prometheus reads. */
const WINDOW = 20_000;

/** Measures how late timers are: the 99th percentile of the last 20 to 40 seconds. Returns a function that ends it. */
export function measureLoopDelay(registry: Registry): () => void {
  const help = 'Delay of the event loop, at the 99th percentile.';
  const delay = registry.gauge('pinfold_eventloop_delay_seconds', help, [], 'max').at();
  const resolution = 20;
  const histogram = monitorEventLoopDelay({ resolution });
  histogram.enable();
  let previous = 0;
  const currentDelay = (): number => Math.max(0, histogram.percentile(99) / 1e9 - resolution / 1_000);
  const timer = setInterval(() => {
    previous = currentDelay();
    histogram.reset();
  }, WINDOW);
  timer.unref();
  registry.beforeSnapshot(() => {
    delay.value = Math.max(previous, currentDelay());
  });
  return () => {
    clearInterval(timer);
    histogram.disable();
  };
}

/** Returns a function that measures it and updates the metric, which is otherwise that of the previous snapshot. */
export function measureFreeSpace(
  registry: Registry,
  freeBytes: () => Promise<number>,
): () => Promise<number> {
  const help = 'Free space on the disk for uploads.';
  const free = registry.gauge('pinfold_staging_free_bytes', help, [], 'max').at();
  registry.updateBeforeSnapshot(free, () => freeBytes().catch(() => 0));
  return async () => {
    free.value = await freeBytes();
    return free.value;
  };
}

export function addCacheMetrics(
  registry: Registry,
  caches: Pick<ViewerStatistics, 'bodies' | 'sites'>,
): void {
  const hits = registry.counter('pinfold_cache_hits_total', 'Hits of the cache.', ['cache']);
  const misses = registry.counter('pinfold_cache_misses_total', 'Misses of the cache.', ['cache']);
  const bytes = registry.gauge('pinfold_cache_bytes', 'Size of the cache.', ['cache']);
  registry.beforeSnapshot(() => {
    for (const [name, cache] of Object.entries(caches)) {
      hits.at(name).value = cache.hits;
      misses.at(name).value = cache.misses;
      bytes.at(name).value = cache.bytes;
    }
  });
}

interface Queue {
  readonly running: number;
  readonly waiting: number;
}

const QUEUES = ['publications', 'hashes', 'inflations', 'uploads'] as const;

export function addQueueMetrics(
  registry: Registry,
): (name: (typeof QUEUES)[number], read: () => Queue) => void {
  const length = registry.gauge('pinfold_queue', 'Running and waiting tasks.', ['queue', 'state']);
  for (const name of QUEUES) for (const state of ['running', 'waiting']) length.at(name, state);
  return (name, read) =>
    registry.beforeSnapshot(() => {
      const { running, waiting } = read();
      length.at(name, 'running').value = running;
      length.at(name, 'waiting').value = waiting;
    });
}

/** A database that refuses changes or new connections serves views. */
const ANSWERING: ReadonlySet<DependencyState> = new Set(['ok', 'slow', 'read_only', 'refusing']);

export function addHealthMetrics(registry: Registry, health: Pick<Health, 'report'>): void {
  const up = registry.gauge(
    'pinfold_dependency_up',
    'Whether a dependency of the server answers.',
    ['name'],
    'max',
  );
  const clockHelp = "How far this machine's clock is ahead of the database's.";
  const difference = registry.gauge('pinfold_clock_difference_seconds', clockHelp, [], 'farthest').at();
  registry.beforeSnapshot(() => {
    const { parts, clock } = health.report();
    for (const [name, state] of Object.entries(parts)) {
      up.at(name).value = ANSWERING.has(state) ? 1 : 0;
    }
    if (clock !== null) difference.value = clock;
  });
}

export interface Pool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

export function addPoolMetrics(registry: Registry, pool: Pool): void {
  const connections = registry.gauge('pinfold_pool_connections', 'Connections to the database.', ['state']);
  const waitingHelp = 'Calls that wait for a connection to the database.';
  const waiting = registry.gauge('pinfold_pool_waiting', waitingHelp).at();
  const limit = registry.gauge('pinfold_pool_connections_limit', 'Maximum connections of this node.').at();
  limit.value = MAX_CONNECTIONS;
  registry.beforeSnapshot(() => {
    connections.at('busy').value = pool.totalCount - pool.idleCount;
    connections.at('idle').value = pool.idleCount;
    waiting.value = pool.waitingCount;
  });
}
