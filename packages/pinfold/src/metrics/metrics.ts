import type { Measurement, PasswordHasher, UseCases } from '@pinfold/core';
import type { Observer } from '@pinfold/core/adapter';
import type { RequestEntry, Uploads } from '@pinfold/http';
import type { ViewerFigures } from '@pinfold/viewer';
import type { Health } from '../health/health.ts';
import { BusiestAccount } from './busiest-account.ts';
import { cacheFigures } from './cache-figures.ts';
import { healthFigures } from './health-figures.ts';
import type { Snapshot } from './metrics-snapshot.ts';
import { type Pool, poolFigures } from './pool-figures.ts';
import { buildInfo, freeSpace, loopDelay } from './process-figures.ts';
import { PublishingFigures } from './publishing-figures.ts';
import { QueueFigures } from './queue-figures.ts';
import { Figures, type Series, type SeriesSet } from './registry.ts';
import { RequestFigures } from './request-figures.ts';
import { StoreFigures } from './store-figures.ts';
import { SweepFigures } from './sweep-figures.ts';

/** What one process counts and measures of itself. */
export class Metrics {
  readonly #figures: Figures = new Figures();
  readonly #requests: RequestFigures;
  readonly #publishing: PublishingFigures;
  readonly #stores: StoreFigures;
  readonly #queues: QueueFigures;
  readonly #sessionsEnded: SeriesSet<Series>;
  readonly #stopLoopDelay: () => void;
  readonly sweeps: SweepFigures;

  constructor(version: string, node: string) {
    const busiest = new BusiestAccount();
    buildInfo(this.#figures, version, node);
    this.#requests = new RequestFigures(this.#figures);
    this.#publishing = new PublishingFigures(this.#figures, busiest);
    this.#stores = new StoreFigures(this.#figures);
    this.#queues = new QueueFigures(this.#figures);
    this.sweeps = new SweepFigures(this.#figures, () => Date.now());
    this.#sessionsEnded = this.#figures.counter({
      name: 'pinfold_sessions_ended_total',
      help: 'Sessions that ended for another to begin.',
      labels: ['reason'],
    });
    this.#sessionsEnded.at('limit');
    this.#stopLoopDelay = loopDelay(this.#figures);
    const help = 'Publications of the account that made the most, in the last half hour to hour.';
    const most = this.#figures.gauge({ name: 'pinfold_busiest_account_publications', help }, 'greatest').at();
    this.#figures.measure(() => {
      most.value = busiest.most;
    });
  }

  /** Counts an answered request. */
  readonly request = (entry: RequestEntry, received: number, sent: number): void =>
    this.#requests.take(entry, received, sent);

  /** Takes the core's measurements. */
  readonly observe = (figure: Measurement): void => {
    this.#publishing.observe(figure);
    this.sweeps.observe(figure);
    if (figure.kind === 'sessions_ended') this.#sessionsEnded.at(figure.reason).value += figure.count;
  };

  /** Measures the calls of the ports. */
  get observer(): Observer {
    return this.#stores.observer;
  }

  /** The use cases, with their publications counted. */
  counting<Cases extends UseCases>(useCases: Cases, { queue }: PasswordHasher): Cases {
    if (queue !== undefined) this.#queues.has('hashes', queue);
    this.#queues.has('publications', this.#publicationsOf(useCases));
    return this.#publishing.counting(useCases);
  }

  /** Measures what health knows, and the disk that uploads are received on. */
  measure(health: Health, dataDir: string, pool: Pool | undefined): void {
    healthFigures(this.#figures, health);
    freeSpace(this.#figures, dataDir);
    if (pool !== undefined) poolFigures(this.#figures, pool);
  }

  /** Says where uploads are received. */
  uploads(uploads: Uploads): void {
    this.#queues.has('uploads', uploads.queue);
  }

  /** Says what the viewer counts. */
  readonly viewer = ({ bodies, sites, inflations }: ViewerFigures): void => {
    cacheFigures(this.#figures, { bodies, sites });
    this.#queues.has('inflations', inflations);
  };

  snapshot(): Snapshot {
    return this.#figures.snapshot();
  }

  close(): void {
    this.#stopLoopDelay();
  }

  /** All that are begun and have no place wait for one. */
  #publicationsOf({ limits: { publishing: places } }: UseCases): Uploads['queue'] {
    const begun = (): number => this.#publishing.begun;
    return {
      get running() {
        return Math.min(begun(), places);
      },
      get waiting() {
        return Math.max(0, begun() - places);
      },
    };
  }
}
