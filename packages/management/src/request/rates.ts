import type { Caller } from '@pinfold/core';
import type { TakenRequest } from '@pinfold/http';
import { addRateHeaders, requestRateOf } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import type { Answer } from '../response/answer.ts';
import { refuseTooMany } from '../response/refuse.ts';
import { identify } from './authenticate.ts';
import type { RequestContext, SignedInContext } from './request-context.ts';

export async function refuseByRate(context: SignedInContext, cost: number): Promise<Answer | undefined> {
  return refusalOf(context, await takeFromRate(context, context.caller, cost));
}

/** Counts a request that ends access, by session: an owner can then revoke a key whose user has used the rate up. */
export function refuseRevocation(context: SignedInContext): Answer | undefined {
  const { requestLimiter, useCases } = context.screen;
  const taken = requestLimiter.takeRevocation(context.sessionBinding, useCases.clock.now());
  return refusalOf(context, taken);
}

/** Counts a page with a form that ends access: by the account's rate, and past it as {@link refuseRevocation} does. */
export async function refuseWayToRevoke(context: SignedInContext): Promise<Answer | undefined> {
  const taken = await takeFromRate(context, context.caller, 1);
  return taken?.kind === 'limited' ? refuseRevocation(context) : undefined;
}

/** Counts a failed attempt, once it failed: a stranger's by address, a signed-in client's from the account's rate. */
export async function refuseAnonymous(context: RequestContext, cost = 1): Promise<Answer | undefined> {
  const identity = await identify(context);
  if (identity.kind === 'signed_in')
    return refusalOf(context, await takeFromRate(context, identity.caller, cost));
  const { request, screen } = context;
  const { requestLimiter, clientAddress, useCases } = screen;
  const taken = requestLimiter.takeAnonymous(request, clientAddress(request), useCases.clock.now());
  return refusalOf(context, taken, 'rate_limited_anonymous');
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
  context: RequestContext,
  taken: TakenRequest | undefined,
  text: MessageId = 'rate_limited',
): Answer | undefined {
  if (taken?.kind !== 'limited') return undefined;
  const now = context.screen.useCases.clock.now();
  addRateHeaders(context.response, 'requests', taken.left, now);
  return refuseTooMany(context, taken.left.nextAt - now, text);
}
