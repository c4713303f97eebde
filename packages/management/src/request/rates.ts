import type { Caller } from '@pinfold/core';
import type { TakenRequest } from '@pinfold/http';
import { requestRateOf, tellRate } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import type { Answer } from '../response/answer.ts';
import { refuseTooMany } from '../response/refuse.ts';
import { identify } from './authenticate.ts';
import type { RequestContext, SignedInContext } from './request-context.ts';

export async function refuseByRate(visit: SignedInContext, cost: number): Promise<Answer | undefined> {
  return refusalOf(visit, await takeFromRate(visit, visit.caller, cost));
}

/** Counts a request that ends access, by session: an owner can then revoke a key whose user has used the rate up. */
export function refuseRevocation(visit: SignedInContext): Answer | undefined {
  const { requestLimiter, useCases } = visit.screen;
  const taken = requestLimiter.takeRevocation(visit.sessionBinding, useCases.clock.now());
  return refusalOf(visit, taken);
}

/** Counts a page with a form that ends access: by the account's rate, and past it as {@link refuseRevocation} does. */
export async function refuseWayToRevoke(visit: SignedInContext): Promise<Answer | undefined> {
  const taken = await takeFromRate(visit, visit.caller, 1);
  return taken?.kind === 'limited' ? refuseRevocation(visit) : undefined;
}

/** Counts a failed attempt, once it failed: a stranger's by address, a signed-in client's from the account's rate. */
export async function refuseStranger(visit: RequestContext, cost = 1): Promise<Answer | undefined> {
  const identity = await identify(visit);
  if (identity.kind === 'signed_in')
    return refusalOf(visit, await takeFromRate(visit, identity.caller, cost));
  const { request, screen } = visit;
  const { requestLimiter, clientAddress, useCases } = screen;
  const taken = requestLimiter.takeStranger(request, clientAddress(request), useCases.clock.now());
  return refusalOf(visit, taken, 'rate_limited_strangers');
}

async function takeFromRate(
  { screen }: RequestContext,
  caller: Caller,
  cost: number,
): Promise<TakenRequest | undefined> {
  const { useCases, requestLimiter, requestRate } = screen;
  const { accounts, clock } = useCases;
  const account = (await accounts.load(caller.account))?.value;
  const rate = await requestRateOf(requestRate, caller, account);
  return rate === null ? undefined : requestLimiter.accounts.take(caller.account, rate, clock.now(), cost);
}

function refusalOf(
  visit: RequestContext,
  taken: TakenRequest | undefined,
  text: MessageId = 'rate_limited',
): Answer | undefined {
  if (taken?.kind !== 'limited') return undefined;
  const now = visit.screen.useCases.clock.now();
  tellRate(visit.response, 'requests', taken.left, now);
  return refuseTooMany(visit, taken.left.nextAt - now, text);
}
