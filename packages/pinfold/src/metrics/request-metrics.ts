import type { RequestEntry } from '@pinfold/http';
import { VIEW_ROUTES } from '../server/log.ts';
import type { Registry, Series } from './registry.ts';

export type CountRequest = (entry: RequestEntry, received: number, sent: number) => void;

/** Methods with a series of their own, because a client can send any word. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const MAX_ROUTES = 256;

/** Enough for all known routes, methods and statuses, so that refused requests cannot displace the series of errors. */
const MAX_SERIES = 8_000;

interface RouteSeries {
  readonly route: string;
  readonly seconds: Series;
  /** By method and status, so that a known combination needs no formatting of labels. */
  readonly requests: Map<string, Map<number, Series>>;
}

export function createRequestMetrics(registry: Registry): CountRequest {
  const requests = registry.counter(
    'pinfold_http_requests_total',
    'Answered requests.',
    ['route', 'method', 'status'],
    MAX_SERIES,
  );
  const secondsHelp = 'Time from the headers of a request to the end of its answer.';
  const seconds = registry.histogram('pinfold_http_request_seconds', secondsHelp, ['route']);
  const refusedHelp = 'Requests of viewers that were refused a site.';
  const refused = registry.counter('pinfold_views_refused_total', refusedHelp, ['reason']);
  const createByteCounter = (direction: string, help: string): Series =>
    registry.counter(`pinfold_http_${direction}_bytes_total`, help).at();
  const receivedBytes = createByteCounter('received', 'Bytes of requests, including headers.');
  const sentBytes = createByteCounter('sent', 'Bytes of answers, including headers.');
  const routes = new Map<string, RouteSeries>();

  function addRoute(routeName: string): RouteSeries {
    const hasRoom = routes.size < MAX_ROUTES;
    const route = hasRoom ? routeName : 'other';
    const created = { route, seconds: seconds.at(route), requests: new Map() };
    if (hasRoom) routes.set(route, created);
    return created;
  }

  function addStatus(known: RouteSeries, method: string, status: number): Series {
    const isKnownMethod = METHODS.has(method);
    const created = requests.at(known.route, isKnownMethod ? method : 'other', String(status));
    if (!isKnownMethod) return created;
    const statuses = known.requests.get(method) ?? new Map<number, Series>();
    known.requests.set(method, statuses.set(status, created));
    return created;
  }

  return ({ route: routeName, method, status, milliseconds, outcome }, received, sent) => {
    const route = routes.get(routeName) ?? addRoute(routeName);
    (route.requests.get(method)?.get(status) ?? addStatus(route, method, status)).value += 1;
    route.seconds.observe(milliseconds / 1_000);
    receivedBytes.value += received;
    sentBytes.value += sent;
    const isView = VIEW_ROUTES.has(routeName) || routeName === 'none';
    if (outcome !== undefined && isView) refused.at(outcome).value += 1;
  };
}
