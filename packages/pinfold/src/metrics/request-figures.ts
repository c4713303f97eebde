import type { RequestEntry } from '@pinfold/http';
import type { Figures, Histogram, Series, SeriesSet } from './registry.ts';

/** Methods that have their own series; a client can send any word. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The most routes that have their own series. */
const MOST_ROUTES = 256;

/** Routes, methods and statuses are ours: a client that is refused in every way must not take the place of a fault. */
const MOST_SERIES = 8_000;

/** The doors where viewers come in. */
const VIEWS: ReadonlySet<string> = new Set(['shared_url', 'name', 'hand_over', 'site', 'none']);

interface RouteCells {
  readonly route: string;
  readonly seconds: Histogram;
  /** By method and status, so that nothing is put together for a request like one before. */
  readonly requests: Map<string, Map<number, Series>>;
}

/** Counts answered requests. */
export class RequestFigures {
  readonly #requests: SeriesSet<Series>;
  readonly #seconds: SeriesSet<Histogram>;
  readonly #refused: SeriesSet<Series>;
  readonly #received: Series;
  readonly #sent: Series;
  readonly #routes: Map<string, RouteCells> = new Map();

  constructor(figures: Figures) {
    this.#requests = figures.counter({
      name: 'pinfold_http_requests_total',
      help: 'Requests that were answered.',
      labels: ['route', 'method', 'status'],
      mostSeries: MOST_SERIES,
    });
    this.#seconds = figures.histogram({
      name: 'pinfold_http_request_seconds',
      help: 'From the head of a request to the end of its answer.',
      labels: ['route'],
    });
    this.#refused = figures.counter({
      name: 'pinfold_views_refused_total',
      help: 'Requests of viewers that were shown nothing of a site.',
      labels: ['reason'],
    });
    this.#received = figures
      .counter({ name: 'pinfold_http_received_bytes_total', help: 'Bytes of requests, heads among them.' })
      .at();
    this.#sent = figures
      .counter({ name: 'pinfold_http_sent_bytes_total', help: 'Bytes of answers, heads among them.' })
      .at();
  }

  /** Counts one, and its bytes. */
  take(entry: RequestEntry, received: number, sent: number): void {
    const { method, status, milliseconds, outcome } = entry;
    const route = this.#routes.get(entry.route) ?? this.#routeOf(entry.route);
    (route.requests.get(method)?.get(status) ?? this.#cellOf(route, method, status)).value += 1;
    route.seconds.observe(milliseconds / 1_000);
    this.#received.value += received;
    this.#sent.value += sent;
    if (outcome !== undefined && VIEWS.has(entry.route)) this.#refused.at(outcome).value += 1;
  }

  #routeOf(written: string): RouteCells {
    const isOneMore = this.#routes.size < MOST_ROUTES;
    const route = isOneMore ? written : 'other';
    const cells = { route, seconds: this.#seconds.at(route), requests: new Map() };
    if (isOneMore) this.#routes.set(route, cells);
    return cells;
  }

  #cellOf({ route, requests }: RouteCells, method: string, status: number): Series {
    const cell = this.#requests.at(route, METHODS.has(method) ? method : 'other', String(status));
    if (!METHODS.has(method)) return cell;
    const statuses = requests.get(method) ?? new Map<number, Series>();
    requests.set(method, statuses.set(status, cell));
    return cell;
  }
}
