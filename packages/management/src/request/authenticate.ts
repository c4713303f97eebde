import type { Caller, Credential, EventActor } from '@pinfold/core';
import { mayManage } from '@pinfold/core/accounts';
import { credentialOf } from '@pinfold/core/adapter';
import { actorOf } from '@pinfold/core/history';
import { callerOf } from '@pinfold/http';
import type { Screen } from '../options.ts';
import { readCookies } from './cookies.ts';
import type { RequestContext } from './request-context.ts';

/** Who stands at the gate. */
export type Identity =
  | {
      readonly kind: 'signed_in';
      readonly caller: Caller;
      readonly credential: Credential;
      readonly actor: EventActor;
      readonly bond: string;
    }
  | { readonly kind: 'forbidden' }
  /** Whose of several they are, nobody can say. */
  | { readonly kind: 'several' }
  | { readonly kind: 'stranger' };

/** How many sessions are looked up for a request. A browser of ours has one; a sibling may have planted more. */
const MOST_LOOKED_UP = 5;

/**
 * Finds out who a request is from: by the session of its cookie, or as the embedding team says.
 *
 * @param again whose request it was before its body arrived.
 */
export async function arrivalOf(
  { authenticate, sessions }: Screen,
  { request, response, scope, shown }: RequestContext,
  again?: Caller,
): Promise<Identity> {
  if (authenticate !== undefined) {
    const caller = await callerOf(authenticate, request, response, again && { again });
    if (caller === undefined) return { kind: 'stranger' };
    if (!mayManage(caller.scopes)) return { kind: 'forbidden' };
    const bond = `account ${caller.account}`;
    return { kind: 'signed_in', caller, credential: credentialOf(caller), actor: actorOf(caller), bond };
  }
  if (shown === 'several') return { kind: 'several' };
  const tokens = readCookies(request, scope, 'session');
  if (tokens.length > MOST_LOOKED_UP) return { kind: 'several' };
  let arrival: Identity = { kind: 'stranger' };
  for (const token of tokens) {
    const session = await sessions?.find(token);
    if (session === undefined) continue;
    if (arrival.kind === 'signed_in') return { kind: 'several' };
    const { account, displayName, scope: granted, actor } = session;
    const named = displayName === null ? {} : { displayName };
    const caller: Caller = { account, scopes: [granted], ...named };
    const credential = { session: session.tokenHash, key: session.apiKey };
    arrival = { kind: 'signed_in', caller, credential, actor, bond: `session ${token}` };
  }
  return arrival;
}
