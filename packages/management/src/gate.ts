import type { Caller } from '@pinfold/core';
import type { Request, Response } from 'express';
import { type CookieScope, readCookies } from './cookies.ts';
import type { ManagementOptions } from './options.ts';

/** Who stands at the gate. */
export type Arrival =
  | { readonly kind: 'signed_in'; readonly caller: Caller; readonly bond: string }
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'stranger' };

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
  for (const token of readCookies(request, scope, 'session')) {
    const session = await options.sessions?.find(token);
    if (session !== undefined) {
      return {
        kind: 'signed_in',
        caller: { account: session.account, scopes: ['manage'] },
        bond: `session ${token}`,
      };
    }
  }
  return { kind: 'stranger' };
}
