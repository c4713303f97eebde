import type { IncomingMessage } from 'node:http';
import type { Caller, Clock } from '@pinfold/core';
import { type DrainLimits, hasSeveralHosts } from '@pinfold/http';
import { type Answer, encodeAnswer } from './answer.ts';
import type { Authenticate } from './authentication.ts';
import type { ApiLog, Exchange } from './exchange.ts';
import type { Service } from './handlers/handler.ts';
import { type AnyRefusal, answerRefusal, answerThrown, refuseRequest } from './problem.ts';
import type { RateLimiter } from './rate-limit.ts';
import { allowedMethods, routeOf } from './routes.ts';
import { send } from './send.ts';

/** Everything that answering needs. */
export interface Serving {
  readonly service: Service;
  readonly authenticate: Authenticate;
  readonly log?: ApiLog;
  readonly limiter?: RateLimiter;
  readonly drain: DrainLimits;
}

/** Answers a request under `/api/v1`. */
export function serve(serving: Serving, exchange: Exchange): Promise<void> {
  return answer(serving, exchange, () => decide(serving, exchange));
}

/** Answers a request of no version of the API, which is nobody's secret: no key is looked at. */
export function answerNothing(serving: Serving, exchange: Exchange): Promise<void> {
  exchange.route = '/api';
  return answer(serving, exchange, async () => refuseRequest('not_found'));
}

/** Answers a request for the API document, which needs no key. */
export function answerDocument(serving: Serving, exchange: Exchange, document: object): Promise<void> {
  exchange.route = '/openapi.json';
  return answer(serving, exchange, async () => {
    if (['GET', 'HEAD'].includes(exchange.request.method)) return { status: 200, json: document };
    return refuseRequest('method_not_allowed', { headers: { Allow: 'GET, HEAD' } });
  });
}

/** Key first, then path, method and scope; the rest is the handler's (contract, section 3). */
async function decide(serving: Serving, exchange: Exchange): Promise<Answer | AnyRefusal> {
  const { request, response } = exchange;
  const found = routeOf(pathOf(request));
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  if (found !== undefined) exchange.route = found.route.pattern;
  exchange.publishing = method === 'POST' && exchange.route === '/api/v1/pins';
  const caller = await serving.authenticate(request, response);
  if (caller === undefined) return refuseRequest('unauthorized');
  const limited = limitRate(serving, exchange, caller);
  if (limited !== undefined) return limited;
  if (found === undefined) return refuseRequest('not_found');
  const { methods } = found.route;
  const handler = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (handler === undefined) {
    return refuseRequest('method_not_allowed', {
      headers: { Allow: allowedMethods(found.route).join(', ') },
    });
  }
  if (!caller.scopes.includes(handler.scope)) return refuseRequest('forbidden');
  return handler.handle(serving.service, { exchange, caller }, found.id);
}

/** Read from the target itself: mounted in bare node:http, the request has nothing that Express adds. */
function pathOf({ url }: Pick<IncomingMessage, 'url'>): string {
  return url?.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] ?? '';
}

function limitRate(
  { limiter, service }: Serving,
  { response }: Exchange,
  { account }: Caller,
): AnyRefusal | undefined {
  if (limiter === undefined) return undefined;
  const now = service.useCases.clock.now();
  const rate = limiter.take(account, now);
  response.setHeaders(new Map(Object.entries(limiter.headers(rate, now))));
  return rate.kind === 'limited' ? refuseRequest('rate_limited', { retryAt: rate.until }) : undefined;
}

async function answer(
  { log, drain }: Serving,
  exchange: Exchange,
  decideAnswer: () => Promise<Answer | AnyRefusal>,
): Promise<void> {
  const { request, response, requestId } = exchange;
  const decided = await settle(exchange, decideAnswer, drain.clock);
  exchange.answered();
  response.once('close', () => log?.(exchange.entry(decided.status)));
  if (response.closed) log?.(exchange.entry(decided.status));
  else await send(request, response, encodeAnswer(decided, requestId), drain);
}

/** Whatever happens becomes an answer; what broke is kept for the log. */
async function settle(
  exchange: Exchange,
  decideAnswer: () => Promise<Answer | AnyRefusal>,
  clock: Clock,
): Promise<Answer> {
  try {
    const decided = hasSeveralHosts(exchange.request) ? severalHosts() : await decideAnswer();
    return 'status' in decided ? decided : answerRefusal(decided, exchange, clock.now());
  } catch (error) {
    // Nobody is there to read what became of it.
    if (exchange.signal.aborted && error === exchange.signal.reason) {
      return answerRefusal(refuseRequest('invalid_request'), exchange, clock.now());
    }
    const failure = answerThrown(error, exchange, clock.now());
    if (failure.status >= 500) exchange.error = error;
    return failure;
  }
}

function severalHosts(): AnyRefusal {
  return refuseRequest('invalid_request', { detail: 'Send one Host header.' });
}
