import { stringify } from 'node:querystring';
import { type Mode, minutes, type Refusal, seconds, type Unchangeable } from '@pinfold/core';
import { checkAuthority, NORMAL_MODE } from '@pinfold/core/adapter';
import { CHANGE_COST } from '@pinfold/core/internal';
import {
  hasTooManyCookies,
  isBodyComplete,
  isSameOriginForm,
  parseLanguage,
  type ReadFields,
  readFields,
} from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import { type Answer, onThisHost, page, seeOther, withLog } from '../response/answer.ts';
import { notFound, refuse, refuseChanges, wantsJson } from '../response/refuse.ts';
import { bounceView, signInFirstView } from '../views/layout.ts';
import { type Identity, identify } from './authenticate.ts';
import { expireEverywhere, FormToken, isFromAnotherSite, readCookies, writeCookie } from './cookies.ts';
import { checkAccountRate, checkRevocationPageRate, checkRevocationRate } from './rates.ts';
import { type FormContext, fieldOf, type RequestContext, type SignedInContext } from './request-context.ts';

/** Lets a request pass, with more context, or ends it with an answer. */
export type Guard<In extends RequestContext, Out extends RequestContext> = (
  context: In,
) => Out | Answer | Promise<Out | Answer>;

type SignedInGuard = Guard<SignedInContext, SignedInContext>;

/** Guards that a request passes one after another; `Known` is the context that the last one returns. */
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
const UNREAD_STATUS: Readonly<Partial<Record<UnreadReason, number>>> = { stalled: 408, too_long: 413 };
type UnreadReason = Extract<ReadFields, { kind: 'unread' }>['reason'];

/** Proxies would refuse more cookies with a page that does not say what to do. */
export const checkCookieCount: Guard<RequestContext, RequestContext> = (context) =>
  hasTooManyCookies(context.request) ? refuse(context, 431, 'cookiesTitle', 'cookiesText') : context;

/** Browsers omit SameSite=Strict cookies when another site links here, so this page reloads itself with them. */
export const reloadIfCrossSite: Guard<RequestContext, RequestContext> = (context) => {
  const { request, formSecretCount } = context;
  return formSecretCount !== 'one' && request.method === 'GET' && isFromAnotherSite(request.headers)
    ? page(bounceView(context))
    : context;
};

/** Gives the browser exactly one form secret. A POST without one sets none: its form is refused in any case. */
export const setFormSecret: Guard<RequestContext, RequestContext> = (context) => {
  const { request, response, scope, secret, formSecretCount } = context;
  if (formSecretCount === 'several') expireEverywhere(request, response, scope, 'form');
  if (formSecretCount === 'several' || (formSecretCount === 'none' && request.method === 'GET'))
    writeCookie(response, scope, 'form', secret);
  return context;
};

export const saveLanguage: Guard<RequestContext, RequestContext> = (context) => {
  const { request, response, scope, base, screen } = context;
  const { language: chosen, ...others } = context.query;
  const language = parseLanguage(String(chosen), screen.branding.languages);
  if (language === undefined) return context;
  writeCookie(response, scope, 'language', language, 31_536_000);
  const rest = stringify(others);
  return seeOther(onThisHost(base + request.path) + (rest && `?${rest}`));
};

export const clearFlash: Guard<RequestContext, RequestContext> = (context) => {
  if (context.flash !== undefined) writeCookie(context.response, context.scope, 'flash', '', 0);
  return context;
};

/** Adds the address that the history stores. Not part of the context: the embedding team's function may throw. */
export const addAddress: Guard<RequestContext, RequestContext> = (context) => {
  const address = context.screen.historyAddress?.(context.request);
  return address === undefined ? context : { ...context, origin: { ...context.origin, address } };
};

export const checkSameOrigin: Guard<RequestContext, RequestContext> = (context) =>
  isSameOriginForm(context.request.headers, context.screen.publicUrl)
    ? context
    : refuse(context, 403, 'foreignFormTitle', 'foreignFormText');

/** Reads a form without a file. A body of another type has no fields, and so no token. */
export const readForm = async <Known extends RequestContext>(context: Known): Promise<Known | Answer> => {
  const { clock } = context.screen.useCases;
  const read = await readFields(context.request, { clock, ...LIMITS });
  if (read.kind === 'fields') return { ...context, fields: read.fields };
  if (read.reason === 'media_type') return context;
  return refuse(context, UNREAD_STATUS[read.reason] ?? 400, 'badFormTitle', 'badFormText');
};

export const requireSignIn: Guard<RequestContext, SignedInContext> = async (context) => {
  const hasWholeBody = await isBodyComplete(context.request);
  const identity = await identify(context);
  return identity.kind === 'signed_in'
    ? await signedInContext(context, identity, hasWholeBody)
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
  hasWholeBody = false,
): Promise<SignedInContext> {
  const { screen } = context;
  return {
    ...context,
    caller,
    credential,
    hasWholeBody,
    sessionBinding,
    account: caller.account,
    displayName: caller.displayName ?? caller.account,
    cause: { actor, ...context.origin },
    mode: await screen.useCases.mode.load(context.signal),
    formToken: new FormToken(context.secret, sessionBinding),
    isAdministrator: screen.administration !== undefined && caller.scopes.includes('admin'),
  };
}

/** Authenticates again: whether the same account is still signed in. */
export async function isStillSignedIn(context: SignedInContext): Promise<boolean> {
  const identity = await identify(context, context.caller);
  return identity.kind === 'signed_in' && identity.caller.account === context.account;
}

/** Authenticates again if the body arrived after the first time; returns an answer if the caller has changed. */
export async function checkCallerAgain(context: SignedInContext): Promise<Answer | undefined> {
  if (context.hasWholeBody) return undefined;
  const identity = await identify(context, context.caller);
  if (identity.kind !== 'signed_in') return refuseIdentity(context, identity.kind);
  return identity.caller.account === context.account ? undefined : askToSignIn(context);
}

export const limitRate =
  (cost: number): SignedInGuard =>
  async (context) =>
    (await checkAccountRate(context, cost)) ?? context;

/** A download costs as much as a change; a HEAD request costs one. */
export const limitDownloads: SignedInGuard = (context) =>
  limitRate(context.request.method === 'HEAD' ? 1 : CHANGE_COST)(context);

/** Counts a form that ends access, such as a stop, a sign-out or the revocation of a key. */
export const limitRevocations: SignedInGuard = (context) => checkRevocationRate(context) ?? context;

/** Bounds the pages whose forms end access: the rate alone must not lock their owner out. */
export const limitRevocationPages: SignedInGuard = async (context) =>
  (await checkRevocationPageRate(context)) ?? context;

/** Requires the scope `admin`; others get 404. Actions are the operator's, and take nothing from the account's rate. */
export const requireAdmin: SignedInGuard = async (context) =>
  context.isAdministrator
    ? { ...context, cause: { ...context.cause, asOperator: true } }
    : ((await checkAccountRate(context, 1)) ?? notFound(context));

const requireChangeable =
  (modeOf: (context: SignedInContext) => Mode): SignedInGuard =>
  async (context) => {
    const account = await context.screen.useCases.accounts.load(context.account);
    const refusal = checkAuthority(account?.value, modeOf(context));
    return refusal === undefined ? context : refuseChanges(context, refusal);
  };

/** Requires an account that is not blocked; administration also works in a read-only service. */
export const requireUnblocked: SignedInGuard = requireChangeable(() => NORMAL_MODE);

/** Requires an account that is not blocked, and a service that is not read-only. */
export const requireWritable: SignedInGuard = requireChangeable(({ mode }) => mode);

/** Adds a form token that is bound to no session, and removes the session cookies if several are valid. */
export const withAnonymousForm: Guard<RequestContext, FormContext> = async (context) => {
  const { request, response, scope, secret } = context;
  const sessions = readCookies(request, scope, 'session');
  if (sessions.length > 1 && (await identify(context)).kind === 'several')
    expireEverywhere(request, response, scope, 'session');
  return { ...context, formToken: new FormToken(secret, '') };
};

/** Adds the sign-in, if there is one, so that an error page has the navigation; only requests for HTML get a page. */
export const withOptionalSignIn: Guard<RequestContext, RequestContext> = async (context) => {
  if (!context.request.headers.accept?.includes('text/html')) return context;
  const identity = await identify(context);
  return identity.kind === 'signed_in' ? await signedInContext(context, identity) : context;
};

/** Refuses a browser with several form secrets: any of them may be the one that the form was made with. */
export const requireSingleFormSecret: Guard<RequestContext, FormContext> = (context) =>
  context.formSecretCount === 'several'
    ? startOver(context)
    : { ...context, formToken: new FormToken(context.secret, '') };

export const checkFormToken = <Known extends FormContext>(context: Known): Known | Answer =>
  context.formToken.matches(fieldOf(context, 'form'))
    ? context
    : refuse(context, 403, 'staleFormTitle', 'staleFormText');

/** Removes all sessions: a sibling domain may have planted one of several, to sign the person in to another account. */
function startOver(context: RequestContext): Answer {
  const { request, response, scope, formSecretCount } = context;
  // `setFormSecret` has already added headers, and proxies limit them; the next request expires the rest.
  if (formSecretCount === 'several') writeCookie(response, scope, 'session', '', 0);
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
  return withLog(signInAnswer(context, why), { outcome: 'unauthorized' });
}

function signInAnswer(context: RequestContext, why?: MessageId): Answer {
  if (wantsJson(context)) return { kind: 'json', status: 401, body: { kind: 'signed_out' } };
  const { request, base, screen } = context;
  if (screen.sessions === undefined) return page(signInFirstView(context), 401);
  if (request.method === 'POST') {
    return seeOther(`${base}/sign-in`, { tone: 'bad', message: why ?? 'signedOutMeanwhile' });
  }
  return seeOther(
    request.path === '/' ? `${base}/sign-in` : `${base}/sign-in?to=${encodeURIComponent(request.url)}`,
    why === undefined ? undefined : { tone: 'bad', message: why },
  );
}
