import type { Caller } from '@pinfold/core';
import type { TakenRequest } from '@pinfold/http';
import { addRateHeaders, requestRateOf } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import type { Answer } from '../response/answer.ts';
import { refuseTooMany } from '../response/refuse.ts';
import { identify } from './authenticate.ts';
import type { RequestContext, SignedInContext } from './request-context.ts';

export async function checkAccountRate(context: SignedInContext, cost: number): Promise<Answer | undefined> {
  return answerIfLimited(context, await takeFromRate(context, context.caller, cost));
}

/** Counts a request that ends access per session, so that an owner can revoke a key that used up the account's rate. */
export function checkRevocationRate(context: SignedInContext): Answer | undefined {
  const { requestLimiter, useCases } = context.screen;
  const taken = requestLimiter.takeRevocation(context.sessionBinding, useCases.clock.now());
  return answerIfLimited(context, taken);
}

/** Counts a page with a form that ends access against the account's rate; beyond it, as {@link checkRevocationRate}. */
export async function checkRevocationPageRate(context: SignedInContext): Promise<Answer | undefined> {
  const taken = await takeFromRate(context, context.caller, 1);
  return taken?.kind === 'limited' ? checkRevocationRate(context) : undefined;
}

/** Counts a failed attempt against the account's rate if signed in, otherwise by address; returns any refusal. */
export async function countFailedAttempt(context: RequestContext, cost = 1): Promise<Answer | undefined> {
  const identity = await identify(context);
  if (identity.kind === 'signed_in')
    return answerIfLimited(context, await takeFromRate(context, identity.caller, cost));
  const { request, screen } = context;
  const { requestLimiter, clientAddress, useCases } = screen;
  const taken = requestLimiter.takeAnonymous(request, clientAddress(request), useCases.clock.now());
  return answerIfLimited(context, taken, 'rate_limited_anonymous');
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

function answerIfLimited(
  context: RequestContext,
  taken: TakenRequest | undefined,
  text: MessageId = 'rate_limited',
): Answer | undefined {
  if (taken?.kind !== 'limited') return undefined;
  const now = context.screen.useCases.clock.now();
  addRateHeaders(context.response, 'requests', taken.left, now);
  return refuseTooMany(context, taken.left.nextAt - now, text);
}
