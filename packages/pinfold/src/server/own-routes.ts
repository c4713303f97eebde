import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, encodeAnswer } from '@pinfold/http';
import type { Health, HealthReport, Need } from '../health/health.ts';
import { INDEX_POLICY, indexPage } from './index-page.ts';
import type { IsInsider } from './insider.ts';
import type { Log } from './log.ts';

/** What the server's own routes need. */
export interface OwnRoutesOptions {
  readonly health: Pick<Health, 'has' | 'report'>;
  /** What must do its part for the server to be ready. */
  readonly needs: readonly Need[];
  /** To whom the parts are named that are not well. */
  readonly isInsider: IsInsider;
  readonly log: Log;
  /** The path of the public URL, without `/` at its end. */
  readonly publicPath: string;
  readonly isStopping: () => boolean;
}

type Respond = (request: IncomingMessage) => Answer;

/**
 * Answers what is neither API nor viewer: the probes `/livez`, `/readyz` and `/healthz`, all from memory, and the page
 * at the public URL. Answers whether the request was one of these.
 */
export function ownRoutes(
  options: OwnRoutesOptions,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const { log, publicPath } = options;
  const routes = routesOf(options);
  return (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const route = path.startsWith(`${publicPath}/`) ? path.slice(publicPath.length) : path;
    const respond = routes[route];
    if (respond === undefined) return false;
    answer(log, route, respond, request, response);
    return true;
  };
}

function routesOf(options: OwnRoutesOptions): Readonly<Record<string, Respond>> {
  return {
    '/': ({ headers }) => ({
      status: 200,
      html: indexPage(headers['accept-language']),
      headers: {
        'content-security-policy': INDEX_POLICY,
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'same-origin',
        vary: 'Accept-Language',
      },
    }),
    '/livez': () => ({ status: 200, json: { status: 'ok' } }),
    '/readyz': () => readiness(options),
    '/healthz': (request) => healthAnswer(options.health.report(), options.isInsider(request)),
  };
}

function readiness({ health, needs, isStopping }: OwnRoutesOptions): Answer {
  if (isStopping()) return { status: 503, json: { status: 'stopping' } };
  if (!health.has(needs)) return { status: 503, json: { status: 'unavailable' } };
  return { status: 200, json: { status: 'ok' } };
}

function healthAnswer({ status, parts, clock }: HealthReport, named: boolean): Answer {
  return {
    status: status === 'unavailable' ? 503 : 200,
    json: named ? { status, ...parts, clock } : { status },
  };
}

function answer(
  log: Log,
  route: string,
  respond: Respond,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const began = performance.now();
  const requestId = randomUUID();
  const method = request.method ?? '';
  const isRead = method === 'GET' || method === 'HEAD';
  const said: Answer = isRead
    ? respond(request)
    : { status: 405, headers: { allow: 'GET, HEAD' }, json: { status: 'method_not_allowed' } };
  const { status, headers, body } = encodeAnswer(said, requestId);
  response.writeHead(status, { 'x-robots-tag': 'noindex', ...headers });
  response.end(method === 'HEAD' ? undefined : body);
  const milliseconds = performance.now() - began;
  log.request({ method, route, role: null, status, milliseconds, requestId });
}
