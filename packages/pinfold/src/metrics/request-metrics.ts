import type { RequestEntry } from '@pinfold/http';
import type { Registry, Series } from './registry.ts';

export type CountRequest = (entry: RequestEntry, received: number, sent: number) => void;

/** Methods that have their own series; a client can send any word. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const MAX_ROUTES = 256;

/** Routes, methods and statuses are ours: a client that is refused in every way must not take the place of a fault. */
const MAX_SERIES = 8_000;

const VIEWS: ReadonlySet<string> = new Set(['shared_url', 'name', 'hand_over', 'site', 'none']);

interface RouteSeries {
  readonly route: string;
  readonly seconds: Series;
  /** By method and status, so that nothing is put together for a request like one before. */
  readonly requests: Map<string, Map<number, Series>>;
}

export function requestMetrics(registry: Registry): CountRequest {
  const requests = registry.counter(
    'pinfold_http_requests_total',
    'Requests that were answered.',
    ['route', 'method', 'status'],
    MAX_SERIES,
  );
  const secondsHelp = 'From the head of a request to the end of its answer.';
  const seconds = registry.histogram('pinfold_http_request_seconds', secondsHelp, ['route']);
  const refusedHelp = 'Requests of viewers that were shown nothing of a site.';
  const refused = registry.counter('pinfold_views_refused_total', refusedHelp, ['reason']);
  const bytesOf = (what: string, help: string): Series =>
    registry.counter(`pinfold_http_${what}_bytes_total`, help).at();
  const receivedBytes = bytesOf('received', 'Bytes of requests, heads among them.');
  const sentBytes = bytesOf('sent', 'Bytes of answers, heads among them.');
  const routes = new Map<string, RouteSeries>();

  function addRoute(written: string): RouteSeries {
    const isOneMore = routes.size < MAX_ROUTES;
    const route = isOneMore ? written : 'other';
    const made = { route, seconds: seconds.at(route), requests: new Map() };
    if (isOneMore) routes.set(route, made);
    return made;
  }

  function addStatus(known: RouteSeries, method: string, status: number): Series {
    const isKnown = METHODS.has(method);
    const made = requests.at(known.route, isKnown ? method : 'other', String(status));
    if (!isKnown) return made;
    const statuses = known.requests.get(method) ?? new Map<number, Series>();
    known.requests.set(method, statuses.set(status, made));
    return made;
  }

  return ({ route: written, method, status, milliseconds, outcome }, received, sent) => {
    const route = routes.get(written) ?? addRoute(written);
    (route.requests.get(method)?.get(status) ?? addStatus(route, method, status)).value += 1;
    route.seconds.observe(milliseconds / 1_000);
    receivedBytes.value += received;
    sentBytes.value += sent;
    if (outcome !== undefined && VIEWS.has(written)) refused.at(outcome).value += 1;
  };
}
