import type { Caller, Credential, EventActor } from '@pinfold/core';
import { actorOf, credentialOf, mayManage } from '@pinfold/core/internal';
import { callerOf } from '@pinfold/http/internal';
import { readCookies } from './cookies.ts';
import type { RequestContext } from './request-context.ts';

export type Identity =
  | {
      readonly kind: 'signed_in';
      readonly caller: Caller;
      readonly credential: Credential;
      readonly actor: EventActor;
      readonly sessionBinding: string;
    }
  | { readonly kind: 'forbidden' }
  /** Several valid sessions: none is trusted. */
  | { readonly kind: 'several' }
  | { readonly kind: 'anonymous' };

/** Sessions looked up for a request. A browser has one, but a sibling domain can plant more. */
const MAX_LOOKUPS = 5;

/** Identifies the sender by the session cookie, or by the embedding team's `authenticate`; `again` is the caller found before. */
export async function identify(context: RequestContext, again?: Caller): Promise<Identity> {
  const { request, response, scope, formSecretCount } = context;
  const { authenticate, sessions } = context.screen;
  if (authenticate !== undefined) {
    const caller = await callerOf(authenticate, request, { response, ...(again && { again }) });
    if (caller === undefined) return { kind: 'anonymous' };
    if (!mayManage(caller.scopes)) return { kind: 'forbidden' };
    const sessionBinding = `account ${caller.account}`;
    return {
      kind: 'signed_in',
      caller,
      credential: credentialOf(caller),
      actor: actorOf(caller),
      sessionBinding,
    };
  }
  if (formSecretCount === 'several') return { kind: 'several' };
  const tokens = readCookies(request, scope, 'session');
  if (tokens.length > MAX_LOOKUPS) return { kind: 'several' };
  let identity: Identity = { kind: 'anonymous' };
  for (const token of tokens) {
    const session = await sessions?.find(token);
    if (session === undefined) continue;
    if (identity.kind === 'signed_in') return { kind: 'several' };
    const { account, displayName, scope: granted, actor } = session;
    const named = displayName === null ? {} : { displayName };
    const caller: Caller = { account, scopes: [granted], ...named };
    const credential = { session: session.tokenHash, key: session.apiKey };
    identity = { kind: 'signed_in', caller, credential, actor, sessionBinding: `session ${token}` };
  }
  return identity;
}
