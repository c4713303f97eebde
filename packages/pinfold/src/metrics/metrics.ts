import type { Observe, PasswordHasher, UseCases } from '@pinfold/core';
import type { Observer } from '@pinfold/core/adapter';
import type { Uploads } from '@pinfold/http';
import type { ViewerFigures } from '@pinfold/viewer';
import type { Health } from '../health/health.ts';
import {
  buildInfo,
  cacheFigures,
  freeSpace,
  healthFigures,
  loopDelay,
  type Pool,
  poolFigures,
  queueFigures,
} from './gauges.ts';
import type { Snapshot } from './metrics-snapshot.ts';
import { processMetrics } from './process-metrics.ts';
import { publishingFigures } from './publishing-figures.ts';
import { Figures } from './registry.ts';
import { type CountRequest, requestFigures } from './request-figures.ts';
import { storeFigures } from './store-figures.ts';
import { type SweepFigures, sweepFigures } from './sweep-figures.ts';

export interface Metrics {
  readonly request: CountRequest;
  readonly observe: Observe;
  readonly observer: Observer;
  readonly sweeps: SweepFigures;
  counting<Cases extends UseCases>(useCases: Cases, passwords: PasswordHasher): Cases;
  /** Adds gauges of health, of the disk that receives uploads, and of the connections to the database. */
  measure(health: Health, dataDir: string, pool: Pool | undefined): void;
  uploads(uploads: Uploads): void;
  readonly viewer: (figures: ViewerFigures) => void;
  snapshot(): Snapshot;
  close(): void;
}

export function createMetrics({ version, node }: { version: string; node: string }): Metrics {
  const figures = new Figures();
  buildInfo(figures, version, node);
  processMetrics(figures);
  const publishing = publishingFigures(figures);
  const sweeps = sweepFigures(figures);
  const addQueue = queueFigures(figures);
  const endedHelp = 'Sessions ended because a new one exceeded a limit.';
  const sessionsEnded = figures.counter('pinfold_sessions_ended_total', endedHelp, ['reason']);
  sessionsEnded.at('limit');
  return {
    request: requestFigures(figures),
    observe: (figure) => {
      publishing.observe(figure);
      sweeps.observe(figure);
      if (figure.kind === 'sessions_ended') sessionsEnded.at(figure.reason).value += figure.count;
    },
    observer: storeFigures(figures),
    sweeps,
    counting: (useCases, { queue }) => {
      const { publishing: places } = useCases.limits;
      if (queue !== undefined) addQueue('hashes', () => queue);
      // Publications that have begun and have no place wait for one.
      addQueue('publications', () => {
        const begun = publishing.begun();
        return { running: Math.min(begun, places), waiting: Math.max(0, begun - places) };
      });
      return publishing.counting(useCases);
    },
    measure: (health, dataDir, pool) => {
      healthFigures(figures, health);
      freeSpace(figures, dataDir);
      if (pool !== undefined) poolFigures(figures, pool);
    },
    uploads: ({ queue }) => addQueue('uploads', () => queue),
    viewer: ({ bodies, sites, inflations }) => {
      cacheFigures(figures, { bodies, sites });
      addQueue('inflations', () => inflations);
    },
    snapshot: () => figures.snapshot(),
    close: loopDelay(figures),
  };
}
