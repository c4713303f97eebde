import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Caller, Origin, Rate, RoleId, Scope } from '@pinfold/core';
import { credentialOf, NORMAL, refuseChange } from '@pinfold/core/adapter';
import type { Administration } from '@pinfold/core/administration';
import { causeOf } from '@pinfold/core/history';
import {
  type Answer,
  callerOf,
  encodeAnswer,
  hasSeveralHosts,
  isWhole,
  RateHeaders,
  type RequestEntry,
  requestRateOf,
  thrown,
  untilGone,
} from '@pinfold/http';
import type { Request, Response } from 'express';
import { adminRouteOf } from './administration/routes.ts';
import type { ServedDocument } from './openapi/served-document.ts';
import {
  type AnyRefusal,
  answerRefusal,
  answerThrown,
  type ProblemContext,
  refuseRequest,
} from './problems/problem.ts';
import { allowedMethods, costOf, routeOf } from './routes.ts';
import { send } from './send.ts';
import type { Outcome, Service } from './service.ts';

/** What a request is for, by its path and method alone. */
interface Aim {
  /** As the log has it. */
  readonly route: string;
  readonly role: RoleId | null;
  readonly publishing: boolean;
  readonly decide: (signal: AbortSignal, requestId: string) => Promise<Outcome>;
  /** Whose request it is, once that is known. */
  readonly caller: () => Caller | undefined;
}

const NO_ROLE = { role: null, publishing: false, caller: () => undefined } as const;

/** Answers a request under `/api/v1`. */
export function serve(service: Service, request: Request, response: Response): Promise<void> {
  const found = routeOf(pathOf(request), service);
  const operation = found && operationOf(found.route, request);
  let known: Caller | undefined;
  return answer(service, request, response, {
    route: found?.route.pattern ?? '/api/v1',
    role: found?.role ?? null,
    publishing: operation?.publishes(request) ?? false,
    caller: () => known,
    // The key first, then the rate, path, method and scope, whether the account may change and the mode; the rest is the operation's.
    decide: async (signal, requestId) => {
      const isComplete = await isWhole(request);
      const caller = await callerOf(service.authenticate, request, response);
      if (caller === undefined) return refuseStranger(service, request, response);
      known = caller;
      const account = (await service.useCases.accounts.load(caller.account))?.value;
      const requestRate = await requestRateOf(service.requests.rate, caller, account);
      const rates = new RateHeaders(response);
      const cost = costOf(request.method, found?.route);
      const limited = requestRate === null ? undefined : limit(service, rates, caller, requestRate, cost);
      if (limited !== undefined) return limited;
      if (found === undefined) return refuseRequest('not_found');
      if (operation === undefined) return refuseMethod(allowedMethods(found.route));
      if (!caller.scopes.includes(operation.scope)) return refuseRequest('forbidden');
      if (operation.changes) {
        const refused = refuseChange(account, await service.useCases.mode.load());
        if (refused !== undefined) return refused;
      }
      const cause = causeOf(caller, originOf(service, request, requestId));
      const again = async () =>
        isComplete ? undefined : refuseAgain(service, request, response, caller, operation.scope);
      const credential = credentialOf(caller);
      const call = { request, caller, again, cause, credential, account, requestRate, rates, signal };
      return operation.handle(service, call, found.role);
    },
  });
}

/**
 * Answers a request under `/admin/v1`. Whoever may not administer learns nothing of what is there: path, method and
 * body are not looked at.
 */
export function serveAdministration(
  service: Service & { readonly administration: Administration },
  request: Request,
  response: Response,
): Promise<void> {
  const found = adminRouteOf(pathOf(request));
  let known: Caller | undefined;
  return answer(service, request, response, {
    ...NO_ROLE,
    route: found?.route.pattern ?? '/admin/v1',
    caller: () => known,
    decide: async (signal, requestId) => {
      const isComplete = await isWhole(request);
      const caller = await callerOf(service.authenticate, request, response);
      if (caller === undefined) return refuseStranger(service, request, response);
      known = caller;
      if (found === undefined || !caller.scopes.includes('admin')) return refuseRequest('not_found');
      const operation = operationOf(found.route, request);
      if (operation === undefined) return refuseMethod(allowedMethods(found.route));
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        const own = (await service.useCases.accounts.load(caller.account))?.value;
        // What is done here goes on in a read-only service, and for nobody who is blocked.
        const refused = refuseChange(own, NORMAL);
        if (refused !== undefined) return refused;
      }
      const cause = { ...causeOf(caller, originOf(service, request, requestId)), asOperator: true };
      const again = async () =>
        isComplete ? undefined : refuseAgain(service, request, response, caller, 'admin');
      const { administration } = service;
      return operation(service, { request, again, cause, signal, administration }, found.segment);
    },
  });
}

/** Authenticates a caller again; answers why it may no longer do what it asked for. */
async function refuseAgain(
  { authenticate }: Service,
  request: Request,
  response: Response,
  again: Caller,
  scope: Scope,
): Promise<AnyRefusal | undefined> {
  const caller = await callerOf(authenticate, request, response, { again });
  if (caller?.account !== again.account) return refuseRequest('unauthorized');
  return caller.scopes.includes(scope) ? undefined : refuseRequest('forbidden');
}

function originOf({ historyAddress }: Service, request: Request, requestId: string): Origin {
  const address = historyAddress?.(request);
  return { request: requestId, ...(address === undefined ? {} : { address }) };
}

/** Answers a request of no version of the API, which is nobody's secret: no key is looked at. */
export function answerNothing(service: Service, request: Request, response: Response): Promise<void> {
  const decide = async () => refuseRequest('not_found');
  return answer(service, request, response, { ...NO_ROLE, route: '/api', decide });
}

/** Answers a request for the API document, which needs no key. */
export function answerDocument(
  service: Service,
  request: Request,
  response: Response,
  document: ServedDocument,
): Promise<void> {
  const methods = ['GET', 'HEAD'];
  const decide = async () =>
    methods.includes(request.method) ? document.answer(request.headers) : refuseMethod(methods);
  return answer(service, request, response, { ...NO_ROLE, route: '/openapi.json', decide });
}

/** Read from the target itself: mounted in bare node:http, the request has nothing that Express adds. */
function pathOf({ url }: Pick<IncomingMessage, 'url'>): string {
  return url?.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] ?? '';
}

function operationOf<Operation>(
  { methods }: { readonly methods: Readonly<Record<string, Operation>> },
  request: Request,
): Operation | undefined {
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  return Object.hasOwn(methods, method) ? methods[method] : undefined;
}

function refuseMethod(allowed: readonly string[]): AnyRefusal {
  return refuseRequest('method_not_allowed', { headers: { Allow: allowed.join(', ') } });
}

/** Counts a wrong key by the client's address; a request without one tries nothing. */
function refuseStranger(
  { requests: { limiter, clientAddress }, useCases: { clock } }: Service,
  request: Request,
  response: Response,
): AnyRefusal {
  if (request.headers.authorization === undefined) return refuseRequest('unauthorized');
  const now = clock.now();
  const { kind, left } = limiter.takeStranger(request, clientAddress(request), now);
  if (kind === 'admitted') return refuseRequest('unauthorized');
  new RateHeaders(response).tell('requests', left, now);
  return refuseRequest('rate_limited', {
    detail: 'Too many requests with wrong keys came from your address: wait as Retry-After says.',
    retryAt: left.nextAt,
  });
}

function limit(
  { requests, useCases }: Service,
  rates: RateHeaders,
  { account }: Caller,
  rate: Rate,
  cost: number,
): AnyRefusal | undefined {
  const now = useCases.clock.now();
  const { kind, left } = requests.limiter.accounts.take(account, rate, now, cost);
  rates.tell('requests', left, now);
  return kind === 'limited' ? refuseRequest('rate_limited', { retryAt: left.nextAt }) : undefined;
}

async function answer(service: Service, request: Request, response: Response, aim: Aim): Promise<void> {
  const { clock } = service.useCases;
  const begun = clock.now();
  const context = { requestId: randomUUID(), publishing: aim.publishing, words: service.words };
  const gone = untilGone(response);
  const settled = await settle(service, request, aim, context, gone);
  const milliseconds = clock.now() - begun;
  const tell = (): void =>
    service.log(
      {
        requestId: context.requestId,
        method: request.method,
        route: aim.route,
        role: settled.answer.role ?? aim.role,
        ...inNameOf(aim.caller()),
        status: settled.answer.status,
        ...outcomeOf(settled.answer),
        milliseconds,
        ...(gone.aborted ? { gone: true } : {}),
        ...(settled.error === undefined ? {} : { error: settled.error }),
      },
      request,
    );
  response.once('close', tell);
  if (response.closed) tell();
  else await send(request, response, encodeAnswer(settled.answer, context.requestId), service.drain);
}

function inNameOf(caller: Caller | undefined): Pick<RequestEntry, 'account' | 'key'> {
  if (caller === undefined) return {};
  return { account: caller.account, ...(caller.key === undefined ? {} : { key: caller.key }) };
}

function outcomeOf({ json }: Answer): Pick<RequestEntry, 'outcome'> {
  return typeof json === 'object' && json !== null && 'code' in json ? { outcome: String(json.code) } : {};
}

/** Whatever happens becomes an answer; what broke is kept for the log. */
async function settle(
  { useCases: { clock } }: Service,
  request: Request,
  { decide }: Aim,
  context: ProblemContext,
  gone: AbortSignal,
): Promise<{ readonly answer: Answer & { readonly role?: RoleId }; readonly error?: unknown }> {
  try {
    const outcome = hasSeveralHosts(request) ? severalHosts() : await decide(gone, context.requestId);
    return { answer: 'status' in outcome ? outcome : answerRefusal(outcome, context, clock.now()) };
  } catch (error) {
    // Nobody is there to read what became of it.
    if (gone.aborted && error === gone.reason) {
      return { answer: answerRefusal(refuseRequest('invalid_request'), context, clock.now()) };
    }
    const failure = answerThrown(error, context, clock.now());
    return failure.status >= 500 ? { answer: failure, error: thrown(error) } : { answer: failure };
  }
}

function severalHosts(): AnyRefusal {
  return refuseRequest('invalid_request', { detail: 'Send one Host header.' });
}
