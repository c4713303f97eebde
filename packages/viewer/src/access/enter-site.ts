import type { VisibleRole } from '@pinfold/core';
import type { Answered, Exchange } from '../exchange.ts';
import {
  type Redirect,
  sendPasswordPage,
  sendPlainPage,
  sendRedirect,
  sendSignIn,
} from '../pages/answers.ts';
import type { PasswordNotice } from '../pages/pages.ts';
import { grantedWay, newlyGrantedWay, siteBaseOf } from '../routing/addresses.ts';
import { encodeRawBytes } from '../routing/target.ts';
import type { Meeting } from './access.ts';

/** Redirects the viewer of a shared URL to a path of the site or to their sign-in, or asks for the password. */
export async function leadIn(
  exchange: Exchange,
  shown: VisibleRole,
  path: string,
  met: Meeting,
  notice?: PasswordNotice,
): Promise<Answered> {
  const status = exchange.request.method === 'POST' ? 303 : 302;
  switch (met.kind) {
    case 'open':
      return sendRedirect(exchange, {
        status,
        location: siteBaseOf(exchange.context.settings, shown.publication.id) + encodeRawBytes(path),
      });
    case 'sign_in':
      return sendSignIn(exchange, status, met.location);
    case 'refused':
      return sendPlainPage(exchange, 403, 'not_admitted');
    case 'welcome':
    case 'password': {
      const way = await heldWay(exchange, shown, path, met);
      return way === undefined
        ? sendPasswordPage(exchange, notice)
        : sendRedirect(exchange, { status, ...way });
    }
    default:
      return met satisfies never;
  }
}

/** The redirect into the site with the viewer's grant, or with a new one if they need no password. */
async function heldWay(
  { context, request }: Exchange,
  shown: VisibleRole,
  path: string,
  met: Extract<Meeting, { kind: 'welcome' | 'password' }>,
): Promise<Omit<Redirect, 'status'> | undefined> {
  const { grants } = context;
  const { publication } = shown;
  const held = await grants.heldBy(met.viewer, shown, request.headers.cookie);
  if (held !== undefined) return await grantedWay(context, publication, held, path);
  if (met.kind === 'password') return undefined;
  return await newlyGrantedWay(context, publication, grants.begin(shown, met.viewer), path);
}
