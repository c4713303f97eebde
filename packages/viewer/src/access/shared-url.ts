import type { IncomingMessage } from 'node:http';
import { type Clock, isFault, type KnownViewer, type RoleId, seconds, type VisibleRole } from '@pinfold/core';
import { sharedUrl } from '@pinfold/http';
import { drainAndClose, isSameOriginForm, readFields } from '@pinfold/http/internal';
import {
  ANSWERED,
  type Answered,
  clientOf,
  type Exchange,
  isGetOrHead,
  signalOf,
  type ViewerContext,
} from '../exchange.ts';
import {
  type Headers,
  RETRY_SECONDS,
  type Redirect,
  sendMethodNotAllowed,
  sendOutsidePage,
  sendPasswordPage,
  sendPlainPage,
  sendRedirect,
  sendSignIn,
  sendStopped,
} from '../pages/answers.ts';
import type { PasswordNotice } from '../pages/pages.ts';
import {
  isReturnPath,
  returnPathAt,
  returnPathOf,
  returnQuery,
  siteBaseOf,
  withoutCookieMark,
} from '../routing/addresses.ts';
import type { NamePlace, SharedPlace } from '../routing/route.ts';
import { parametersOf, splitTarget } from '../routing/target.ts';
import type { Decision } from './access.ts';

export async function serveSharedUrl(exchange: Exchange, place: SharedPlace): Promise<Answered> {
  const { request, context } = exchange;
  const { role: id, idText, query, inside = '' } = place;
  if (!isGetOrHead(request) && request.method !== 'POST') {
    return sendMethodNotAllowed(exchange, 'GET, HEAD, POST');
  }
  if (id === null) {
    // A file name comes from a link of a site that leads above the site, rather than from a shared URL.
    return idText.includes('.') ? sendOutsidePage(exchange) : sendPlainPage(exchange, 404, 'not_found');
  }
  if (request.method === 'POST') return await takePassword(exchange, id, returnPathAt(place));
  if (id !== idText) {
    return sendRedirect(exchange, { location: sharedUrl(context.settings.publicUrl, id) + inside + query });
  }
  const visit = await context.useCases.visit(id);
  if (visit.kind !== 'published') return sendStopped(exchange, visit.kind);
  const redirect = await redirectByGrant(context, visit, query);
  if (redirect !== undefined) return sendRedirect(exchange, redirect);
  return answerShown(exchange, visit, returnPathAt(place));
}

/** Returns the redirect into the site for a grant in the query of a shared URL, which only path mode accepts. */
async function redirectByGrant(
  context: ViewerContext,
  shown: VisibleRole,
  query: string,
): Promise<Redirect | undefined> {
  const { access, grants, settings } = context;
  const { publication } = shown;
  if (settings.mode === 'origin' || query === '' || access.isOpen(publication)) return undefined;
  const token = parametersOf(query).get('grant') ?? '';
  const grant = await grants.admit(shown, 'hand_over', token);
  if (grant === undefined) return undefined;
  return await grants.redirectWithCookie(publication, grant, returnPathOf(query));
}

async function takePassword(exchange: Exchange, id: RoleId, path: string): Promise<Answered> {
  const { request, context } = exchange;
  if (!isSameOriginForm(request.headers, context.settings.publicUrl)) {
    return sendPlainPage(exchange, 403, 'foreign_form');
  }
  const password = await readPassword(request, context.useCases.clock);
  if (typeof password === 'number') {
    // The connection closes, since the rest of a stalled form is not read.
    const closes = password === 408 && request.httpVersionMajor === 1;
    const more: Headers = closes ? { Connection: 'close' } : {};
    return sendPlainPage(exchange, password, 'bad_form', more);
  }
  const attempt = { id, path, password };
  if (!context.access.identifiesViewers) return await tryPassword(exchange, attempt);
  const visit = await context.useCases.visit(id);
  if (visit.kind !== 'published') return sendStopped(exchange, visit.kind);
  const decision = await context.access.decide(request, visit.publication);
  if (decision.kind !== 'password') return answerDecision(exchange, visit, attempt.path, decision);
  return await tryPassword(exchange, { ...attempt, viewer: decision.viewer });
}

const LIMITS = { idle: seconds(30), total: seconds(30), bytes: 4_096 };
const STATUS = { broken_off: 400, media_type: 415, stalled: 408, too_long: 413 } as const;

/**
 * Reads the password form: `password` and nothing else, urlencoded, at most 4 KiB, within 30 seconds. Returns a status
 * for any other form.
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

interface Attempt {
  readonly id: RoleId;
  readonly path: string;
  readonly password: string;
  readonly viewer?: KnownViewer | undefined;
}

async function tryPassword(exchange: Exchange, attempt: Attempt): Promise<Answered> {
  const { context } = exchange;
  const { useCases, grants } = context;
  const { id, path, password, viewer } = attempt;
  const address = clientOf(exchange);
  const tokens = grants.sharedUrlTokens(exchange.request.headers.cookie);
  const signal = signalOf(exchange);
  if (signal.aborted) return ANSWERED;
  const outcome = await useCases.enter({ id, password, address, tokens, signal }).catch((error: unknown) => {
    if (isFault(error) && error.code === 'hasher_overloaded') return { kind: 'overloaded' } as const;
    throw error;
  });
  // Counts even if the viewer did not wait for the answer.
  if (outcome.kind === 'wrong') context.counter?.passwordRefused(id);
  if (signal.aborted) return ANSWERED;
  switch (outcome.kind) {
    case 'unknown':
    case 'expired':
      return sendStopped(exchange, outcome.kind);
    case 'not_protected':
      // The password was removed meanwhile, so access is decided again.
      return await answerShown(exchange, outcome, path);
    case 'granted': {
      const grant = viewer === undefined ? outcome.grant : { ...outcome.grant, viewer };
      const redirect = await grants.redirectWithCookie(outcome.publication, grant, path);
      return sendRedirect(exchange, { status: 303, ...redirect });
    }
    case 'wrong':
      return sendPasswordPage(exchange, { kind: 'wrong_password' });
    case 'busy':
      return await answerUnchecked(exchange, attempt, { kind: 'busy', seconds: 1 });
    case 'overloaded':
      return await answerUnchecked(exchange, attempt, { kind: 'busy', seconds: RETRY_SECONDS });
    case 'limited': {
      const seconds = Math.max(1, Math.ceil((outcome.until - useCases.clock.now()) / 1_000));
      return await answerUnchecked(exchange, attempt, { kind: 'too_many_tries', seconds });
    }
    default:
      return outcome satisfies never;
  }
}

/** Answers without having checked the password. Viewers with a grant still enter. */
async function answerUnchecked(
  exchange: Exchange,
  { id, path }: Attempt,
  notice: PasswordNotice,
): Promise<Answered> {
  const visit = await exchange.context.useCases.visit(id);
  return visit.kind === 'published'
    ? await answerShown(exchange, visit, path, notice)
    : sendStopped(exchange, visit.kind);
}

/** Decides who sent the request, and answers accordingly. */
async function answerShown(
  exchange: Exchange,
  shown: VisibleRole,
  path: string,
  notice?: PasswordNotice,
): Promise<Answered> {
  const decision = await exchange.context.access.decide(exchange.request, shown.publication);
  return answerDecision(exchange, shown, path, decision, notice);
}

/** Redirects the viewer of a shared URL to a path of the site or to the sign-in, or asks for the password. */
async function answerDecision(
  exchange: Exchange,
  shown: VisibleRole,
  path: string,
  decision: Decision,
  notice?: PasswordNotice,
): Promise<Answered> {
  const { request, context } = exchange;
  const { grants, settings } = context;
  const { publication } = shown;
  const status = request.method === 'POST' ? 303 : 302;
  switch (decision.kind) {
    case 'open':
      return sendRedirect(exchange, { status, location: siteBaseOf(settings, publication.id) + path });
    case 'sign_in':
      return sendSignIn(exchange, status, decision.location);
    case 'refused':
      return sendPlainPage(exchange, 403, 'not_admitted');
    case 'welcome':
    case 'password': {
      const grant = await grants.findFor(decision.viewer, shown, request.headers.cookie);
      if (grant !== undefined) {
        return sendRedirect(exchange, {
          status,
          ...(await grants.redirectIntoSite(publication, grant, path)),
        });
      }
      if (decision.kind === 'password') return sendPasswordPage(exchange, notice);
      const created = grants.createFor(shown, decision.viewer);
      return sendRedirect(exchange, {
        status,
        ...(await grants.redirectWithCookie(publication, created, path)),
      });
    }
    default:
      return decision satisfies never;
  }
}

export async function serveName(exchange: Exchange, { segment, inside }: NamePlace): Promise<Answered> {
  const { settings, useCases } = exchange.context;
  if (!isGetOrHead(exchange.request)) return sendMethodNotAllowed(exchange, 'GET, HEAD');
  if (hasDotSegment(inside)) return sendPlainPage(exchange, 404, 'not_found');
  const visit = await useCases.visitName(segment);
  if (visit.kind === 'misspelled') {
    return sendRedirect(exchange, { location: `${settings.publicUrl}/n/${visit.segment}${inside}` });
  }
  if (visit.kind !== 'published') return sendStopped(exchange, visit.kind);
  // Without the parameter by which a redirect checks that cookies are stored.
  const path = withoutCookieMark(inside.startsWith('?') ? `/${inside}` : inside);
  const shared = sharedUrl(settings.publicUrl, visit.publication.id);
  // Path mode: the path goes below the shared URL. Origin mode: the shared URL gets it as `?to=`.
  const below = settings.mode === 'path' && isReturnPath(path) ? path : '';
  const query = settings.mode === 'path' ? '' : returnQuery(path);
  return sendRedirect(exchange, { location: shared + below + query });
}

/** Whether a client or a proxy could read a segment of the path as `.` or `..`. */
function hasDotSegment(inside: string): boolean {
  const path = splitTarget(inside)
    .path.replace(/%2e/gi, '.')
    .replace(/%2f|%5c|\\/gi, '/');
  return /(?:^|\/)\.\.?(?:\/|$)/.test(path);
}
