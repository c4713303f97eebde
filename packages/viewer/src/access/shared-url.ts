import type { IncomingMessage } from 'node:http';
import { type Clock, isFault, type KnownViewer, type RoleId, seconds, type VisibleRole } from '@pinfold/core';
import { sharedUrl } from '@pinfold/http';
import { drainAndClose, isSameOriginForm, readFields } from '@pinfold/http/internal';
import {
  ANSWERED,
  type Answered,
  clientOf,
  type Exchange,
  goneOf,
  isRead,
  type ViewerContext,
} from '../exchange.ts';
import {
  type Headers,
  type Redirect,
  sendMethodNotAllowed,
  sendNowhere,
  sendPasswordPage,
  sendPlainPage,
  sendRedirect,
  sendSignIn,
  sendStopped,
  UNAVAILABLE_FOR,
} from '../pages/answers.ts';
import type { PasswordNotice } from '../pages/pages.ts';
import { grantedWay, newlyGrantedWay, siteBaseOf } from '../routing/addresses.ts';
import { returnPathAt, returnPathOf } from '../routing/return-path.ts';
import type { SharedPlace } from '../routing/route.ts';
import { encodeRawBytes } from '../routing/target.ts';
import type { Meeting } from './access.ts';

export async function serveSharedUrl(exchange: Exchange, place: SharedPlace): Promise<Answered> {
  const { request, context } = exchange;
  const { role: id, idText, query, inside = '' } = place;
  if (!isRead(request) && request.method !== 'POST') {
    return sendMethodNotAllowed(exchange, 'GET, HEAD, POST');
  }
  if (id === null) {
    // A file's name was no link to a site: it may be a link that goes above one.
    return idText.includes('.') ? sendNowhere(exchange) : sendPlainPage(exchange, 404, 'not_found');
  }
  if (request.method === 'POST') return await takePassword(exchange, id, returnPathAt(place));
  if (id !== idText) {
    const location = sharedUrl(context.settings.publicUrl, id) + encodeRawBytes(inside + query);
    return sendRedirect(exchange, { status: 302, location });
  }
  const visit = await context.useCases.visit(id);
  if (visit.kind !== 'published') return sendStopped(exchange, visit.kind);
  const handedOver = await takeGrant(context, visit, query);
  if (handedOver !== undefined) return sendRedirect(exchange, handedOver);
  const met = await context.access.meet(request, visit.publication);
  return leadIn(exchange, visit, returnPathAt(place), met);
}

/** The redirect into the site by the grant in the query of a shared URL, which only path mode accepts. */
async function takeGrant(
  context: ViewerContext,
  shown: VisibleRole,
  query: string,
): Promise<Redirect | undefined> {
  const { access, grants, settings } = context;
  const { publication } = shown;
  if (settings.mode === 'origin' || query === '' || access.isOpen(publication)) return undefined;
  const token = new URLSearchParams(query).get('grant') ?? '';
  const grant = await grants.admit(shown, 'hand_over', token);
  if (grant === undefined) return undefined;
  return { status: 302, ...(await newlyGrantedWay(context, publication, grant, returnPathOf(query))) };
}

async function takePassword(exchange: Exchange, id: RoleId, path: string): Promise<Answered> {
  const { request, context } = exchange;
  if (!isSameOriginForm(request.headers, context.settings.publicUrl)) {
    return sendPlainPage(exchange, 403, 'foreign_form');
  }
  const password = await readPassword(request, context.useCases.clock);
  if (typeof password === 'number') {
    // The rest of a stalled form is not read.
    const more: Headers = password === 408 ? { Connection: 'close' } : {};
    return sendPlainPage(exchange, password, 'bad_form', more);
  }
  const trial = { id, path, password };
  if (!context.access.identifiesViewers) return await tryPassword(exchange, trial);
  const visit = await context.useCases.visit(id);
  if (visit.kind !== 'published') return sendStopped(exchange, visit.kind);
  const met = await context.access.meet(request, visit.publication);
  if (met.kind !== 'password') return leadIn(exchange, visit, trial.path, met);
  return await tryPassword(exchange, { ...trial, viewer: met.viewer });
}

const LIMITS = { idle: seconds(30), total: seconds(30), bytes: 4_096 };
const STATUS = { broken_off: 400, media_type: 415, stalled: 408, too_long: 413 } as const;

/**
 * Reads the one form the viewer takes: `password` and nothing else, urlencoded, at most 4 KiB, within 30 seconds.
 * A status says why a form is no try.
 */
async function readPassword(request: IncomingMessage, clock: Clock): Promise<string | 400 | 408 | 413 | 415> {
  const read = await readFields(request, { clock, ...LIMITS });
  if (read.kind === 'fields') {
    const [[name, password] = [], ...others] = Object.entries(read.fields);
    return others.length === 0 && name === 'password' && typeof password === 'string' ? password : 400;
  }
  drainAndClose(request, { clock });
  return STATUS[read.reason];
}

interface Trial {
  readonly id: RoleId;
  readonly path: string;
  readonly password: string;
  readonly viewer?: KnownViewer | undefined;
}

async function tryPassword(exchange: Exchange, trial: Trial): Promise<Answered> {
  const { context } = exchange;
  const { useCases, access, grants } = context;
  const { id, path, password, viewer } = trial;
  const address = clientOf(exchange);
  const tokens = grants.sharedUrlTokens(exchange.request.headers.cookie);
  const signal = goneOf(exchange);
  if (signal.aborted) return ANSWERED;
  const outcome = await useCases.enter({ id, password, address, tokens, signal }).catch((error: unknown) => {
    if (isFault(error) && error.code === 'hasher_overloaded') return { kind: 'overloaded' } as const;
    throw error;
  });
  // Counted even if the viewer did not wait for the answer.
  if (outcome.kind === 'wrong') context.counter?.passwordRefused(id);
  if (signal.aborted) return ANSWERED;
  switch (outcome.kind) {
    case 'unknown':
    case 'expired':
      return sendStopped(exchange, outcome.kind);
    case 'not_protected':
      // The password was removed meanwhile, which may change how the viewer enters.
      return leadIn(exchange, outcome, path, await access.meet(exchange.request, outcome.publication));
    case 'granted': {
      const grant = viewer === undefined ? outcome.grant : { ...outcome.grant, viewer };
      const way = await newlyGrantedWay(context, outcome.publication, grant, path);
      return sendRedirect(exchange, { status: 303, ...way });
    }
    case 'wrong':
      return sendPasswordPage(exchange, { kind: 'wrong_password' });
    case 'busy':
      return await putOff(exchange, trial, { kind: 'busy', seconds: 1 });
    case 'overloaded':
      return await putOff(exchange, trial, { kind: 'busy', seconds: UNAVAILABLE_FOR });
    case 'limited': {
      const seconds = Math.max(1, Math.ceil((outcome.until - useCases.clock.now()) / 1_000));
      return await putOff(exchange, trial, { kind: 'too_many_tries', seconds });
    }
    default:
      return outcome satisfies never;
  }
}

/** Answers without checking the password. Viewers with a grant still enter. */
async function putOff(exchange: Exchange, { id, path }: Trial, notice: PasswordNotice): Promise<Answered> {
  const { useCases, access } = exchange.context;
  const visit = await useCases.visit(id);
  if (visit.kind !== 'published') return sendStopped(exchange, visit.kind);
  const met = await access.meet(exchange.request, visit.publication);
  return leadIn(exchange, visit, path, met, notice);
}

/** Redirects the viewer of a shared URL to a path of the site or to their sign-in, or asks for the password. */
async function leadIn(
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
