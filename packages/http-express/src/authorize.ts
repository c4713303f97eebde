import type { Caller, Rate, Scope } from '@pinfold/core';
import { checkAuthority, NORMAL_MODE } from '@pinfold/core/adapter';
import { causeOf } from '@pinfold/core/history';
import { credentialOf } from '@pinfold/core/internal';
import { addRateHeaders, callerOf, isBodyComplete, requestRateOf } from '@pinfold/http/internal';
import { englishOf, REFUSAL_TEXTS } from '@pinfold/http/internal/texts';
import type { Request, Response } from 'express';
import {
  type AccountCall,
  allowedMethods,
  type Call,
  costOf,
  type Endpoint,
  type FoundRoute,
  type OperatorCall,
} from './endpoint.ts';
import { type AnyRefusal, refuseRequest } from './problems/problem.ts';
import type { Service } from './service.ts';

/** A request after its route was looked up, and before its caller is known. */
interface RoutedRequest<C> {
  readonly service: Service;
  readonly request: Request;
  readonly response: Response;
  readonly signal: AbortSignal;
  readonly requestId: string;
  readonly found: FoundRoute<C> | undefined;
  readonly endpoint: Endpoint<C> | undefined;
  readonly onCaller: (caller: Caller) => void;
}

/** Decides whether a request reaches its endpoint, and creates the endpoint's context. */
export type Admit<C> = (
  routed: RoutedRequest<C>,
) => Promise<{ readonly kind: 'admitted'; readonly endpoint: Endpoint<C>; readonly call: C } | AnyRefusal>;

export const admitAnyone: Admit<Pick<Call, 'request' | 'again'>> = async ({ request, found, endpoint }) => {
  if (endpoint === undefined) return refuseMissing(found);
  return { kind: 'admitted', endpoint, call: { request, again: async () => undefined } };
};

/** Checks the key, the rate of requests, path, method and scope, the account's block and the mode, in this order. */
export const admitAccount: Admit<AccountCall> = async (routed) => {
  const { service, request, response, found, endpoint } = routed;
  const isComplete = await isBodyComplete(request);
  const caller = await callerOf(service.authenticate, request, { response });
  if (caller === undefined) return refuseAnonymous(service, request, response);
  routed.onCaller(caller);
  const account = (await service.useCases.accounts.load(caller.account))?.value;
  const requestRate = await requestRateOf(service.requestRate, caller, account);
  const cost = costOf(request.method, found);
  const limited = requestRate === null ? undefined : checkRate(service, response, caller, requestRate, cost);
  if (limited !== undefined) return limited;
  if (endpoint === undefined) return refuseMissing(found);
  const { scope } = endpoint;
  if (scope === null || !caller.scopes.includes(scope)) return refuseRequest('forbidden');
  if (isChange(endpoint)) {
    const refused = checkAuthority(
      account,
      await service.useCases.mode.load(),
      endpoint.inReadOnly ? 'viewing' : 'account',
    );
    if (refused !== undefined) return refused;
  }
  const call: AccountCall = {
    ...callOf(routed, caller, scope, isComplete),
    ...{ caller, account, requestRate, credential: credentialOf(caller) },
  };
  return { kind: 'admitted', endpoint, call };
};

/** Admits operators. Answers others with 404 before it checks the path, the method and the body. */
export const admitOperator: Admit<OperatorCall> = async (routed) => {
  const { service, request, response, found, endpoint } = routed;
  const { administration } = service;
  const isComplete = await isBodyComplete(request);
  const caller = await callerOf(service.authenticate, request, { response });
  if (caller === undefined) return refuseAnonymous(service, request, response);
  routed.onCaller(caller);
  if (administration === undefined || !caller.scopes.includes('admin')) return refuseRequest('not_found');
  if (endpoint === undefined) return refuseMissing(found);
  if (isChange(endpoint)) {
    const account = (await service.useCases.accounts.load(caller.account))?.value;
    // An operator may make changes in read-only mode, but not with a blocked account.
    const refused = checkAuthority(account, NORMAL_MODE);
    if (refused !== undefined) return refused;
  }
  const call = callOf(routed, caller, 'admin', isComplete);
  const cause = { ...call.cause, asOperator: true };
  return { kind: 'admitted', endpoint, call: { ...call, cause, administration } };
};

/** Whether an endpoint makes changes, which blocked accounts may not. */
export function isChange({ method }: Pick<Endpoint<unknown>, 'method'>): boolean {
  return method !== 'GET';
}

function callOf(
  { service, request, response, signal, requestId }: RoutedRequest<never>,
  caller: Caller,
  scope: Scope,
  isComplete: boolean,
): Call {
  const address = service.historyAddress?.(request);
  const origin = { request: requestId, ...(address === undefined ? {} : { address }) };
  const authenticateAgain = () => checkCallerAgain(service, request, response, caller, scope);
  const again = async () => (isComplete ? undefined : authenticateAgain());
  return { request, response, again, authenticateAgain, cause: causeOf(caller, origin), signal };
}

/** Authenticates a caller again; returns a refusal if it has lost its access. */
async function checkCallerAgain(
  { authenticate }: Service,
  request: Request,
  response: Response,
  again: Caller,
  scope: Scope,
): Promise<AnyRefusal | undefined> {
  const caller = await callerOf(authenticate, request, { response, again });
  if (caller?.account !== again.account) return refuseRequest('unauthorized');
  return caller.scopes.includes(scope) ? undefined : refuseRequest('forbidden');
}

function refuseMissing(found: FoundRoute<never> | undefined): AnyRefusal {
  if (found === undefined) return refuseRequest('not_found');
  const headers = { Allow: allowedMethods(found.route).join(', ') };
  return refuseRequest('method_not_allowed', { headers });
}

/** Refuses a request without a valid key; counts a wrong key by the client's address. */
function refuseAnonymous(
  { requestLimiter, clientAddress, useCases: { clock } }: Service,
  request: Request,
  response: Response,
): AnyRefusal {
  if (request.headers.authorization === undefined) return refuseRequest('unauthorized');
  const now = clock.now();
  const { kind, left } = requestLimiter.takeAnonymous(request, clientAddress(request), now);
  if (kind === 'admitted') return refuseRequest('unauthorized');
  addRateHeaders(response, 'requests', left, now);
  return refuseRequest('rate_limited', {
    detail: englishOf(REFUSAL_TEXTS.rate_limited_anonymous),
    retryAt: left.nextAt,
  });
}

function checkRate(
  { requestLimiter, useCases }: Service,
  response: Response,
  { account }: Caller,
  rate: Rate,
  cost: number,
): AnyRefusal | undefined {
  const now = useCases.clock.now();
  const { kind, left } = requestLimiter.accounts.take(account, rate, now, cost);
  addRateHeaders(response, 'requests', left, now);
  return kind === 'limited' ? refuseRequest('rate_limited', { retryAt: left.nextAt }) : undefined;
}
