import { type Mode, minutes, type Refusal, seconds, type Unchangeable } from '@pinfold/core';
import { NORMAL, refuseChange } from '@pinfold/core/adapter';
import { CHANGE_COST } from '@pinfold/core/internal';
import {
  hasTooManyCookies,
  isOwnForm,
  isWhole,
  parseLanguage,
  type ReadFields,
  readFields,
} from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import { type Answer, logged, onThisHost, page, seeOther } from '../response/answer.ts';
import { notFound, refuse, refuseChanges, wantsJson } from '../response/refuse.ts';
import { bounceView, strangerView } from '../views/trouble.ts';
import { type Identity, identify } from './authenticate.ts';
import { expireEverywhere, readCookies, writeCookie } from './cookies.ts';
import { FormToken, isFromAnotherSite } from './form-guard.ts';
import { refuseByRate, refuseRevocation, refuseWayToRevoke } from './rates.ts';
import { type FormContext, fieldOf, type RequestContext, type SignedInContext } from './request-context.ts';

/** Lets a request pass, with more context, or ends it with an answer. */
export type Guard<In extends RequestContext, Out extends RequestContext> = (
  visit: In,
) => Out | Answer | Promise<Out | Answer>;

type SignedInGuard = Guard<SignedInContext, SignedInContext>;

/** Guards that a request passes one after another; `Known` is the context behind the last. */
export class Guards<Known extends RequestContext> {
  static readonly none: Guards<RequestContext> = new Guards([]);
  readonly all: readonly Guard<never, RequestContext>[];

  private constructor(all: readonly Guard<never, RequestContext>[]) {
    this.all = all;
  }

  and<Next extends RequestContext>(guard: Guard<Known, Next>): Guards<Next> {
    return new Guards([...this.all, guard]);
  }
}

const LIMITS = { idle: seconds(30), total: minutes(1), bytes: 16_384 };
const UNREAD: Readonly<Partial<Record<Trouble, number>>> = { stalled: 408, too_long: 413 };
type Trouble = Extract<ReadFields, { kind: 'unread' }>['trouble'];

/** Proxies would refuse more cookies with a page that does not say what to do. */
export const fewCookies: Guard<RequestContext, RequestContext> = (visit) =>
  hasTooManyCookies(visit.request) ? refuse(visit, 431, 'cookiesTitle', 'cookiesText') : visit;

/** Browsers send no SameSite=Strict cookies when another site leads here; a reload from this page sends them. */
export const fromHere: Guard<RequestContext, RequestContext> = (visit) => {
  const { request, shown } = visit;
  return shown !== 'one' && request.method === 'GET' && isFromAnotherSite(request.headers)
    ? page(bounceView(visit))
    : visit;
};

export const ownSecret: Guard<RequestContext, RequestContext> = (visit) => {
  const { request, response, scope, secret, shown } = visit;
  if (shown === 'several') expireEverywhere(request, response, scope, 'form');
  if (shown === 'several' || (shown === 'none' && request.method === 'GET'))
    writeCookie(response, scope, 'form', secret);
  return visit;
};

export const ownLanguage: Guard<RequestContext, RequestContext> = (visit) => {
  const { request, response, scope, base, screen } = visit;
  const language = parseLanguage(String(request.query.language), screen.look.languages);
  if (language === undefined) return visit;
  writeCookie(response, scope, 'language', language, 31_536_000);
  return seeOther(onThisHost(base + request.path));
};

export const clearFlash: Guard<RequestContext, RequestContext> = (visit) => {
  if (visit.flash !== undefined) writeCookie(visit.response, visit.scope, 'said', '', 0);
  return visit;
};

export const ownPage: Guard<RequestContext, RequestContext> = (visit) =>
  isOwnForm(visit.request.headers, visit.screen.publicUrl)
    ? visit
    : refuse(visit, 403, 'foreignFormTitle', 'foreignFormText');

/** Reads a form without a file. A body of another type has no fields, and so no token. */
export const formRead = async <Known extends RequestContext>(visit: Known): Promise<Known | Answer> => {
  const { clock } = visit.screen.useCases;
  const read = await readFields(visit.request, { clock, ...LIMITS });
  if (read.kind === 'fields') return { ...visit, fields: read.fields };
  if (read.trouble === 'media_type') return visit;
  return refuse(visit, UNREAD[read.trouble] ?? 400, 'badFormTitle', 'badFormText');
};

export const signedIn: Guard<RequestContext, SignedInContext> = async (visit) => {
  const hasBody = await isWhole(visit.request);
  const identity = await identify(visit);
  return identity.kind === 'signed_in'
    ? await signedInContext(visit, identity, hasBody)
    : refuseIdentity(visit, identity.kind);
};

function refuseIdentity(visit: RequestContext, kind: Exclude<Identity['kind'], 'signed_in'>): Answer {
  if (kind === 'several') return startOver(visit);
  return kind === 'forbidden' ? refuse(visit, 403, 'forbiddenTitle', 'forbiddenText') : askToSignIn(visit);
}

async function signedInContext(
  visit: RequestContext,
  { caller, credential, sessionBinding, actor }: Extract<Identity, { kind: 'signed_in' }>,
  hasBody = false,
): Promise<SignedInContext> {
  const { screen } = visit;
  return {
    ...visit,
    caller,
    credential,
    hasBody,
    sessionBinding,
    account: caller.account,
    displayName: caller.displayName ?? caller.account,
    cause: { actor, ...visit.origin },
    mode: await screen.useCases.mode.load(visit.signal),
    formToken: new FormToken(visit.secret, sessionBinding),
    offers: {
      signOut: screen.sessions !== undefined,
      keys: screen.keys !== undefined,
      history: screen.history !== undefined,
      grants: screen.createGrant !== undefined,
      archives: screen.openArchive !== undefined,
      names: screen.useCases.names !== undefined,
      administration: screen.administration !== undefined && caller.scopes.includes('admin'),
    },
  };
}

/** Authenticates again: whether the same account is still signed in. */
export async function isStillSignedIn(visit: SignedInContext): Promise<boolean> {
  const identity = await identify(visit, visit.caller);
  return identity.kind === 'signed_in' && identity.caller.account === visit.account;
}

/** Authenticates again after a body that did not come with the head; the answer if the caller has changed. */
export async function refuseAgain(visit: SignedInContext): Promise<Answer | undefined> {
  if (visit.hasBody) return undefined;
  const identity = await identify(visit, visit.caller);
  if (identity.kind !== 'signed_in') return refuseIdentity(visit, identity.kind);
  return identity.caller.account === visit.account ? undefined : askToSignIn(visit);
}

export const withinRate =
  (cost: number): SignedInGuard =>
  async (visit) =>
    (await refuseByRate(visit, cost)) ?? visit;

/** A download costs what a change costs; to look at its head costs one. */
export const withinRateOfDownload: SignedInGuard = (visit) =>
  withinRate(visit.request.method === 'HEAD' ? 1 : CHANGE_COST)(visit);

export const revokes: SignedInGuard = (visit) => refuseRevocation(visit) ?? visit;

/** Bounds the pages whose forms end access: the rate alone must not lock their owner out. */
export const leadsToRevoke: SignedInGuard = async (visit) => (await refuseWayToRevoke(visit)) ?? visit;

/** Requires the scope `admin`; others get 404. Actions are the operator's, and take nothing from its account's rate. */
export const administers: SignedInGuard = async (visit) =>
  visit.offers.administration
    ? { ...visit, cause: { ...visit.cause, asOperator: true } }
    : ((await refuseByRate(visit, 1)) ?? notFound(visit));

const changing =
  (modeOf: (visit: SignedInContext) => Mode): SignedInGuard =>
  async (visit) => {
    const account = await visit.screen.useCases.accounts.load(visit.account);
    const refusal = refuseChange(account?.value, modeOf(visit));
    return refusal === undefined ? visit : refuseChanges(visit, refusal);
  };

/** Requires an account that is not blocked; administration also works in a read-only service. */
export const unblocked: SignedInGuard = changing(() => NORMAL);

/** Requires an account that is not blocked, and a service that is not read-only. */
export const unrefused: SignedInGuard = changing(({ mode }) => mode);

/** Lets everyone pass; several valid sessions are removed. */
export const anybody: Guard<RequestContext, FormContext> = async (visit) => {
  const { request, response, scope, secret } = visit;
  const sessions = readCookies(request, scope, 'session');
  if (sessions.length > 1 && (await identify(visit)).kind === 'several')
    expireEverywhere(request, response, scope, 'session');
  return { ...visit, formToken: new FormToken(secret, '') };
};

/** Lets everyone pass. A page for a person who is signed in has the navigation, also at an unknown address. */
export const anyone: Guard<RequestContext, RequestContext> = async (visit) => {
  if (!visit.request.headers.accept?.includes('text/html')) return visit;
  const identity = await identify(visit);
  return identity.kind === 'signed_in' ? await signedInContext(visit, identity) : visit;
};

/** Lets everyone pass whose browser has one secret: with several it is unknown whose form it is. */
export const anybodyKnown: Guard<RequestContext, FormContext> = (visit) =>
  visit.shown === 'several' ? startOver(visit) : { ...visit, formToken: new FormToken(visit.secret, '') };

export const freshToken = <Known extends FormContext>(visit: Known): Known | Answer =>
  visit.formToken.matches(fieldOf(visit, 'form'))
    ? visit
    : refuse(visit, 403, 'staleFormTitle', 'staleFormText');

/** Trusts none of several sessions: a sibling may have planted one of them, and with it another account. */
function startOver(visit: RequestContext): Answer {
  const { request, response, scope, shown } = visit;
  // The form secrets were removed already, and a proxy accepts only so many headers; the next request removes the rest.
  if (shown === 'several') writeCookie(response, scope, 'session', '', 0);
  else expireEverywhere(request, response, scope, 'session');
  return askToSignIn(visit, 'signInsMixed');
}

export function refuseAnyChange(
  visit: RequestContext,
  refusal: Refusal<'not_found' | 'unauthorized'> | Unchangeable,
): Answer {
  if (refusal.code === 'not_found') return notFound(visit);
  return refusal.code === 'unauthorized' ? askToSignIn(visit) : refuseChanges(visit, refusal);
}

export function askToSignIn(visit: RequestContext, why?: MessageId): Answer {
  return logged(signInAnswer(visit, why), { outcome: 'unauthorized' });
}

function signInAnswer(visit: RequestContext, why?: MessageId): Answer {
  if (wantsJson(visit)) return { kind: 'json', status: 401, body: { kind: 'signed_out' } };
  const { request, base, screen } = visit;
  if (screen.sessions === undefined) return page(strangerView(visit), 401);
  if (request.method !== 'GET') {
    return seeOther(`${base}/sign-in`, { tone: 'bad', message: why ?? 'signedOutMeanwhile' });
  }
  return seeOther(
    request.path === '/' ? `${base}/sign-in` : `${base}/sign-in?to=${encodeURIComponent(request.url)}`,
    why === undefined ? undefined : { tone: 'bad', message: why },
  );
}
