import type { Caller } from '@pinfold/core';
import type { Request, Response } from 'express';
import { type CookieScope, readCookies } from './cookies.ts';
import type { ManagementOptions } from './options.ts';

/** Who stands at the gate. */
export type Arrival =
  | { readonly kind: 'signed_in'; readonly caller: Caller; readonly bond: string }
  | { readonly kind: 'forbidden' }
  /** Whose of several they are, nobody can say. */
  | { readonly kind: 'several' }
  | { readonly kind: 'stranger' };

/** How many sessions are looked up for a request. A browser of ours has one; a sibling may have planted more. */
const MOST_LOOKED_UP = 5;

/** Finds out who a request is from: by the session of its cookie, or as the embedding team says. */
export async function arrivalOf(
  request: Request,
  response: Response,
  options: ManagementOptions,
  scope: CookieScope,
): Promise<Arrival> {
  if (options.authenticate !== undefined) {
    const caller = await options.authenticate(request, response);
    if (caller === undefined) return { kind: 'stranger' };
    if (!caller.scopes.includes('manage')) return { kind: 'forbidden' };
    return { kind: 'signed_in', caller, bond: `account ${caller.account}` };
  }
  const tokens = readCookies(request, scope, 'session');
  if (tokens.length > MOST_LOOKED_UP) return { kind: 'several' };
  let arrival: Arrival = { kind: 'stranger' };
  for (const token of tokens) {
    const session = await options.sessions?.find(token);
    if (session === undefined) continue;
    if (arrival.kind === 'signed_in') return { kind: 'several' };
    const caller: Caller = { account: session.account, scopes: ['manage'] };
    arrival = { kind: 'signed_in', caller, bond: `session ${token}` };
  }
  return arrival;
}
