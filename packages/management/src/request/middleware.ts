import { type Mode, minutes, type Refusal, seconds, type Unchangeable } from '@pinfold/core';
import { checkAuthority, NORMAL_MODE } from '@pinfold/core/adapter';
import { CHANGE_COST } from '@pinfold/core/internal';
import {
  hasTooManyCookies,
  isSameOriginForm,
  isWhole,
  parseLanguage,
  type ReadFields,
  readFields,
} from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import { type Answer, logged, onThisHost, page, seeOther } from '../response/answer.ts';
import { notFound, refuse, refuseChanges, wantsJson } from '../response/refuse.ts';
import { bounceView, signInFirstView } from '../views/error-view.ts';
import { type Identity, identify } from './authenticate.ts';
import { expireEverywhere, readCookies, writeCookie } from './cookies.ts';
import { FormToken, isFromAnotherSite } from './form-guard.ts';
import { refuseByRate, refuseRevocation, refuseWayToRevoke } from './rates.ts';
import { type FormContext, fieldOf, type RequestContext, type SignedInContext } from './request-context.ts';

/** Lets a request pass, with more context, or ends it with an answer. */
export type Guard<In extends RequestContext, Out extends RequestContext> = (
  context: In,
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
const UNREAD: Readonly<Partial<Record<UnreadReason, number>>> = { stalled: 408, too_long: 413 };
type UnreadReason = Extract<ReadFields, { kind: 'unread' }>['reason'];

/** Proxies would refuse more cookies with a page that does not say what to do. */
export const fewCookies: Guard<RequestContext, RequestContext> = (context) =>
  hasTooManyCookies(context.request) ? refuse(context, 431, 'cookiesTitle', 'cookiesText') : context;

/** Browsers send no SameSite=Strict cookies when another site leads here; a reload from this page sends them. */
export const fromHere: Guard<RequestContext, RequestContext> = (context) => {
  const { request, shown } = context;
  return shown !== 'one' && request.method === 'GET' && isFromAnotherSite(request.headers)
    ? page(bounceView(context))
    : context;
};

export const ownSecret: Guard<RequestContext, RequestContext> = (context) => {
  const { request, response, scope, secret, shown } = context;
  if (shown === 'several') expireEverywhere(request, response, scope, 'form');
  if (shown === 'several' || (shown === 'none' && request.method === 'GET'))
    writeCookie(response, scope, 'form', secret);
  return context;
};

export const ownLanguage: Guard<RequestContext, RequestContext> = (context) => {
  const { request, response, scope, base, screen } = context;
  const language = parseLanguage(String(request.query.language), screen.branding.languages);
  if (language === undefined) return context;
  writeCookie(response, scope, 'language', language, 31_536_000);
  return seeOther(onThisHost(base + request.path));
};

export const clearFlash: Guard<RequestContext, RequestContext> = (context) => {
  if (context.flash !== undefined) writeCookie(context.response, context.scope, 'flash', '', 0);
  return context;
};

export const ownPage: Guard<RequestContext, RequestContext> = (context) =>
  isSameOriginForm(context.request.headers, context.screen.publicUrl)
    ? context
    : refuse(context, 403, 'foreignFormTitle', 'foreignFormText');

/** Reads a form without a file. A body of another type has no fields, and so no token. */
export const formRead = async <Known extends RequestContext>(context: Known): Promise<Known | Answer> => {
  const { clock } = context.screen.useCases;
  const read = await readFields(context.request, { clock, ...LIMITS });
  if (read.kind === 'fields') return { ...context, fields: read.fields };
  if (read.reason === 'media_type') return context;
  return refuse(context, UNREAD[read.reason] ?? 400, 'badFormTitle', 'badFormText');
};

export const signedIn: Guard<RequestContext, SignedInContext> = async (context) => {
  const hasBody = await isWhole(context.request);
  const identity = await identify(context);
  return identity.kind === 'signed_in'
    ? await signedInContext(context, identity, hasBody)
    : refuseIdentity(context, identity.kind);
};

function refuseIdentity(context: RequestContext, kind: Exclude<Identity['kind'], 'signed_in'>): Answer {
  if (kind === 'several') return startOver(context);
  return kind === 'forbidden'
    ? refuse(context, 403, 'forbiddenTitle', 'forbiddenText')
    : askToSignIn(context);
}

async function signedInContext(
  context: RequestContext,
  { caller, credential, sessionBinding, actor }: Extract<Identity, { kind: 'signed_in' }>,
  hasBody = false,
): Promise<SignedInContext> {
  const { screen } = context;
  return {
    ...context,
    caller,
    credential,
    hasBody,
    sessionBinding,
    account: caller.account,
    displayName: caller.displayName ?? caller.account,
    cause: { actor, ...context.origin },
    mode: await screen.useCases.mode.load(context.signal),
    formToken: new FormToken(context.secret, sessionBinding),
    offers: {
      signOut: screen.sessions !== undefined,
      keys: screen.keys !== undefined,
      history: screen.history !== undefined,
      grants: screen.createGrant !== undefined,
      archives: screen.openArchive !== undefined,
      names: screen.names !== undefined,
      administration: screen.administration !== undefined && caller.scopes.includes('admin'),
    },
  };
}

/** Authenticates again: whether the same account is still signed in. */
export async function isStillSignedIn(context: SignedInContext): Promise<boolean> {
  const identity = await identify(context, context.caller);
  return identity.kind === 'signed_in' && identity.caller.account === context.account;
}

/** Authenticates again after a body that did not come with the head; the answer if the caller has changed. */
export async function refuseAgain(context: SignedInContext): Promise<Answer | undefined> {
  if (context.hasBody) return undefined;
  const identity = await identify(context, context.caller);
  if (identity.kind !== 'signed_in') return refuseIdentity(context, identity.kind);
  return identity.caller.account === context.account ? undefined : askToSignIn(context);
}

export const withinRate =
  (cost: number): SignedInGuard =>
  async (context) =>
    (await refuseByRate(context, cost)) ?? context;

/** A download costs what a change costs; to look at its head costs one. */
export const withinRateOfDownload: SignedInGuard = (context) =>
  withinRate(context.request.method === 'HEAD' ? 1 : CHANGE_COST)(context);

export const revokes: SignedInGuard = (context) => refuseRevocation(context) ?? context;

/** Bounds the pages whose forms end access: the rate alone must not lock their owner out. */
export const leadsToRevoke: SignedInGuard = async (context) => (await refuseWayToRevoke(context)) ?? context;

/** Requires the scope `admin`; others get 404. Actions are the operator's, and take nothing from its account's rate. */
export const administers: SignedInGuard = async (context) =>
  context.offers.administration
    ? { ...context, cause: { ...context.cause, asOperator: true } }
    : ((await refuseByRate(context, 1)) ?? notFound(context));

const changing =
  (modeOf: (context: SignedInContext) => Mode): SignedInGuard =>
  async (context) => {
    const account = await context.screen.useCases.accounts.load(context.account);
    const refusal = checkAuthority(account?.value, modeOf(context));
    return refusal === undefined ? context : refuseChanges(context, refusal);
  };

/** Requires an account that is not blocked; administration also works in a read-only service. */
export const unblocked: SignedInGuard = changing(() => NORMAL_MODE);

/** Requires an account that is not blocked, and a service that is not read-only. */
export const unrefused: SignedInGuard = changing(({ mode }) => mode);

/** Lets everyone pass; several valid sessions are removed. */
export const anybody: Guard<RequestContext, FormContext> = async (context) => {
  const { request, response, scope, secret } = context;
  const sessions = readCookies(request, scope, 'session');
  if (sessions.length > 1 && (await identify(context)).kind === 'several')
    expireEverywhere(request, response, scope, 'session');
  return { ...context, formToken: new FormToken(secret, '') };
};

/** Lets everyone pass. A page for a person who is signed in has the navigation, also at an unknown address. */
export const anyone: Guard<RequestContext, RequestContext> = async (context) => {
  if (!context.request.headers.accept?.includes('text/html')) return context;
  const identity = await identify(context);
  return identity.kind === 'signed_in' ? await signedInContext(context, identity) : context;
};

/** Lets everyone pass whose browser has one secret: with several it is unknown whose form it is. */
export const anybodyKnown: Guard<RequestContext, FormContext> = (context) =>
  context.shown === 'several'
    ? startOver(context)
    : { ...context, formToken: new FormToken(context.secret, '') };

export const freshToken = <Known extends FormContext>(context: Known): Known | Answer =>
  context.formToken.matches(fieldOf(context, 'form'))
    ? context
    : refuse(context, 403, 'staleFormTitle', 'staleFormText');

/** Trusts none of several sessions: a sibling may have planted one of them, and with it another account. */
function startOver(context: RequestContext): Answer {
  const { request, response, scope, shown } = context;
  // The form secrets were removed already, and a proxy accepts only so many headers; the next request removes the rest.
  if (shown === 'several') writeCookie(response, scope, 'session', '', 0);
  else expireEverywhere(request, response, scope, 'session');
  return askToSignIn(context, 'signInsMixed');
}

export function refuseAnyChange(
  context: RequestContext,
  refusal: Refusal<'not_found' | 'unauthorized'> | Unchangeable,
): Answer {
  if (refusal.code === 'not_found') return notFound(context);
  return refusal.code === 'unauthorized' ? askToSignIn(context) : refuseChanges(context, refusal);
}

export function askToSignIn(context: RequestContext, why?: MessageId): Answer {
  return logged(signInAnswer(context, why), { outcome: 'unauthorized' });
}

function signInAnswer(context: RequestContext, why?: MessageId): Answer {
  if (wantsJson(context)) return { kind: 'json', status: 401, body: { kind: 'signed_out' } };
  const { request, base, screen } = context;
  if (screen.sessions === undefined) return page(signInFirstView(context), 401);
  if (request.method !== 'GET') {
    return seeOther(`${base}/sign-in`, { tone: 'bad', message: why ?? 'signedOutMeanwhile' });
  }
  return seeOther(
    request.path === '/' ? `${base}/sign-in` : `${base}/sign-in?to=${encodeURIComponent(request.url)}`,
    why === undefined ? undefined : { tone: 'bad', message: why },
  );
}
