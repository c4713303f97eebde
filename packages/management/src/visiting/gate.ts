import type { Caller, Consent, Doer } from '@pinfold/core';
import { mayManage } from '@pinfold/core/accounts';
import { actorOf } from '@pinfold/core/history';
import { callerOf } from '@pinfold/http';
import type { Screen } from '../options.ts';
import { readCookies } from './cookies.ts';
import type { Visit } from './visit.ts';

/** The session and the key that somebody is signed in by, where they are ours: consents end with them. */
export type SignedInBy = Pick<Consent, 'session' | 'apiKey'>;

/** Who stands at the gate. */
export type Arrival =
  | {
      readonly kind: 'signed_in';
      readonly caller: Caller;
      readonly actor: Doer;
      readonly bond: string;
      readonly given: SignedInBy;
    }
  | { readonly kind: 'forbidden' }
  /** Whose of several they are, nobody can say. */
  | { readonly kind: 'several' }
  | { readonly kind: 'stranger' };

/** How many sessions are looked up for a request. A browser of ours has one; a sibling may have planted more. */
const MOST_LOOKED_UP = 5;

/** Finds out who a request is from: by the session of its cookie, or as the embedding team says. */
export async function arrivalOf(
  { authenticate, sessions }: Screen,
  { request, response, scope, shown }: Visit,
): Promise<Arrival> {
  if (authenticate !== undefined) {
    const caller = await callerOf(authenticate, request, response);
    if (caller === undefined) return { kind: 'stranger' };
    if (!mayManage(caller.scopes)) return { kind: 'forbidden' };
    const given = { session: null, apiKey: caller.key ?? null };
    return { kind: 'signed_in', caller, actor: actorOf(caller), bond: `account ${caller.account}`, given };
  }
  if (shown === 'several') return { kind: 'several' };
  const tokens = readCookies(request, scope, 'session');
  if (tokens.length > MOST_LOOKED_UP) return { kind: 'several' };
  let arrival: Arrival = { kind: 'stranger' };
  for (const token of tokens) {
    const session = await sessions?.find(token);
    if (session === undefined) continue;
    if (arrival.kind === 'signed_in') return { kind: 'several' };
    const { account, displayName, scope: granted } = session;
    const named = displayName === null ? {} : { displayName };
    const caller: Caller = { account, scopes: [granted], ...named };
    const given = { session: session.tokenHash, apiKey: session.apiKey };
    arrival = { kind: 'signed_in', caller, actor: session.actor, bond: `session ${token}`, given };
  }
  return arrival;
}
