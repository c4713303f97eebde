import { minutes, seconds } from '@pinfold/core';
import { NORMAL, refuseChange } from '@pinfold/core/adapter';
import { hasTooManyCookies, isOwnForm, isWhole, type ReadFields, readFields } from '@pinfold/http';
import { parseLanguage } from '../language.ts';
import type { MessageId } from '../messages/catalogues.ts';
import type { Screen } from '../options.ts';
import { type Answer, onThisHost, page, seeOther } from '../response/answer.ts';
import { notFound, refuse, refuseChanges, wantsJson } from '../response/refuse.ts';
import { bounceView, strangerView } from '../views/trouble.ts';
import { arrivalOf } from './authenticate.ts';
import { expireEverywhere, readCookies, writeCookie } from './cookies.ts';
import { formToken, isLedFromElsewhere, isSameToken } from './form-guard.ts';
import { refuseByRate, refuseRevocation, refuseWayToRevoke } from './rates.ts';
import { type FormContext, fieldOf, type RequestContext, type SignedInContext } from './request-context.ts';

/** What a guard says: what is known of the visit now, or the answer that ends it. */
export type Verdict<Known> = { readonly kind: 'passed'; readonly visit: Known } | Answer;

/** Stands before a handler. */
export type Guard<In extends RequestContext, Out extends RequestContext> = (
  screen: Screen,
  visit: In,
) => Verdict<Out> | Promise<Verdict<Out>>;

/** How slow and how large a form without a file may be. */
const LIMITS = { idle: seconds(30), total: minutes(1), bytes: 16_384 };
const UNREAD: Readonly<Partial<Record<Trouble, number>>> = { stalled: 408, too_long: 413 };
type Trouble = Extract<ReadFields, { kind: 'unread' }>['trouble'];

/** Some guards one after another, as one. */
export function chain<A extends RequestContext, B extends RequestContext>(
  first: Guard<RequestContext, A>,
  second: Guard<A, B>,
): Guard<RequestContext, B>;
export function chain<A extends RequestContext, B extends RequestContext, C extends RequestContext>(
  first: Guard<RequestContext, A>,
  second: Guard<A, B>,
  third: Guard<B, C>,
): Guard<RequestContext, C>;
export function chain<
  A extends RequestContext,
  B extends RequestContext,
  C extends RequestContext,
  D extends RequestContext,
>(
  first: Guard<RequestContext, A>,
  second: Guard<A, B>,
  third: Guard<B, C>,
  fourth: Guard<C, D>,
): Guard<RequestContext, D>;
export function chain<
  A extends RequestContext,
  B extends RequestContext,
  C extends RequestContext,
  D extends RequestContext,
  E extends RequestContext,
>(
  first: Guard<RequestContext, A>,
  second: Guard<A, B>,
  third: Guard<B, C>,
  fourth: Guard<C, D>,
  fifth: Guard<D, E>,
): Guard<RequestContext, E>;
export function chain(
  ...guards: readonly Guard<never, RequestContext>[]
): Guard<RequestContext, RequestContext> {
  return async (screen, visit) => {
    let verdict: Verdict<RequestContext> = passed(visit);
    for (const guard of guards) {
      if (verdict.kind !== 'passed') break;
      verdict = await guard(screen, verdict.visit as never);
    }
    return verdict;
  };
}

/** What lies between this and a browser would refuse more cookies without a word on what to do. */
export const fewCookies: Guard<RequestContext, RequestContext> = (_, visit) =>
  hasTooManyCookies(visit.request) ? refuse(visit, 431, 'cookiesTitle', 'cookiesText') : passed(visit);

/** Cookies that are SameSite=Strict stay behind when a page elsewhere leads here; one more step from here brings them. */
export const fromHere: Guard<RequestContext, RequestContext> = (_, visit) => {
  const { request, shown } = visit;
  return shown !== 'one' && request.method === 'GET' && isLedFromElsewhere(request.headers)
    ? page(bounceView(visit))
    : passed(visit);
};

/** Gives a browser its secret; several that it showed are taken away. */
export const ownSecret: Guard<RequestContext, RequestContext> = (_, visit) => {
  const { request, response, scope, secret, shown } = visit;
  if (shown === 'several') expireEverywhere(request, response, scope, 'form');
  if (shown === 'several' || (shown === 'none' && request.method === 'GET'))
    writeCookie(response, scope, 'form', secret);
  return passed(visit);
};

/** Keeps a language that was chosen. */
export const ownLanguage: Guard<RequestContext, RequestContext> = (_, visit) => {
  const { request, response, scope, base, look } = visit;
  const language = parseLanguage(String(request.query.language), look.languages);
  if (language === undefined) return passed(visit);
  writeCookie(response, scope, 'language', language, 31_536_000);
  return seeOther(onThisHost(base + request.path));
};

/** What was said before is said on this page, and on no other. */
export const clearFlash: Guard<RequestContext, RequestContext> = (_, visit) => {
  if (visit.said !== undefined) writeCookie(visit.response, visit.scope, 'said', '', 0);
  return passed(visit);
};

/** A form must come from a page of ours, as far as the browser tells. */
export const ownPage: Guard<RequestContext, RequestContext> = ({ publicUrl }, visit) =>
  isOwnForm(visit.request.headers, publicUrl)
    ? passed(visit)
    : refuse(visit, 403, 'foreignFormTitle', 'foreignFormText');

/** Reads a form without a file. Of another body there are no fields, and so no token. */
export const formRead = async <Known extends RequestContext>(
  { useCases: { clock } }: Screen,
  visit: Known,
): Promise<Verdict<Known>> => {
  const read = await readFields(visit.request, { clock, ...LIMITS });
  if (read.kind === 'fields') return passed({ ...visit, fields: read.fields });
  if (read.trouble === 'media_type') return passed(visit);
  return refuse(visit, UNREAD[read.trouble] ?? 400, 'badFormTitle', 'badFormText');
};

/** Only somebody who is signed in. */
export const signedIn: Guard<RequestContext, SignedInContext> = async (screen, visit) => {
  const hasBody = await isWhole(visit.request);
  const arrival = await arrivalOf(screen, visit);
  switch (arrival.kind) {
    case 'several':
      return startOver(screen, visit);
    case 'forbidden':
      return refuse(visit, 403, 'forbiddenTitle', 'forbiddenText');
    case 'stranger':
      return askToSignIn(screen, visit);
    case 'signed_in':
      visit.who.account = arrival.caller.account;
      return passed({
        ...visit,
        caller: arrival.caller,
        credential: arrival.credential,
        hasBody,
        bond: arrival.bond,
        account: arrival.caller.account,
        displayName: arrival.caller.displayName ?? arrival.caller.account,
        cause: { actor: arrival.actor, ...visit.origin },
        mode: await screen.useCases.mode.load(visit.signal),
        formToken: formToken(visit.secret, arrival.bond),
        offers: {
          signOut: screen.sessions !== undefined,
          keys: screen.keys !== undefined,
          history: screen.history !== undefined,
          administration: screen.administration !== undefined && arrival.caller.scopes.includes('admin'),
        },
      });
    default:
      return arrival satisfies never;
  }
};

/** Authenticates again after a body that did not come with the head; answers what ends the visit, if anything does. */
export async function refuseAgain(screen: Screen, visit: SignedInContext): Promise<Answer | undefined> {
  if (visit.hasBody) return undefined;
  const arrival = await arrivalOf(screen, visit, visit.caller);
  if (arrival.kind === 'forbidden') return refuse(visit, 403, 'forbiddenTitle', 'forbiddenText');
  if (arrival.kind === 'several') return startOver(screen, visit);
  const isSame = arrival.kind === 'signed_in' && arrival.caller.account === visit.account;
  return isSame ? undefined : askToSignIn(screen, visit);
}

/** Takes a request from the account's rate. */
export const withinRate =
  (cost: number) =>
  async <Known extends SignedInContext>(screen: Screen, visit: Known): Promise<Verdict<Known>> =>
    (await refuseByRate(screen, visit, cost)) ?? passed(visit);

/** Bounds what ends access, apart from the account's rate. */
export const revokes = <Known extends SignedInContext>(screen: Screen, visit: Known): Verdict<Known> =>
  refuseRevocation(screen, visit) ?? passed(visit);

/** Bounds the pages on which the forms stand that end access: the rate alone must not keep anybody from them. */
export const leadsToRevoke = async <Known extends SignedInContext>(
  screen: Screen,
  visit: Known,
): Promise<Verdict<Known>> => (await refuseWayToRevoke(screen, visit)) ?? passed(visit);

/**
 * Only somebody who administers; for everybody else there are no such pages. What is done is the operator's deed, and
 * takes nothing from the rate of the operator's own account.
 */
export const administers = async <Known extends SignedInContext>(
  screen: Screen,
  visit: Known,
): Promise<Verdict<Known>> =>
  visit.offers.administration
    ? passed({ ...visit, cause: { ...visit.cause, asOperator: true } })
    : ((await refuseByRate(screen, visit, 1)) ?? notFound(visit));

/** Only somebody whose own account is not blocked; what those do who administer goes on in a read-only service. */
export const unblocked = async <Known extends SignedInContext>(
  { useCases: { accounts } }: Screen,
  visit: Known,
): Promise<Verdict<Known>> => {
  const refusal = refuseChange((await accounts.load(visit.account))?.value, NORMAL);
  return refusal === undefined ? passed(visit) : refuseChanges(visit, refusal);
};

/** Only who may change something now. */
export const unrefused = async <Known extends SignedInContext>(
  { useCases: { accounts } }: Screen,
  visit: Known,
): Promise<Verdict<Known>> => {
  const account = (await accounts.load(visit.account))?.value;
  const refusal = refuseChange(account, visit.mode);
  return refusal === undefined ? passed(visit) : refuseChanges(visit, refusal);
};

/** Anybody; several sessions that are good are taken away. */
export const anybody: Guard<RequestContext, FormContext> = async (screen, visit) => {
  const { request, response, scope, secret } = visit;
  const sessions = readCookies(request, scope, 'session');
  if (sessions.length > 1 && (await arrivalOf(screen, visit)).kind === 'several')
    expireEverywhere(request, response, scope, 'session');
  return passed({ ...visit, formToken: formToken(secret, '') });
};

/** Anybody whose browser showed no several secrets: whose form it is could not be said. */
export const anybodyKnown: Guard<RequestContext, FormContext> = (screen, visit) =>
  visit.shown === 'several'
    ? startOver(screen, visit)
    : passed({ ...visit, formToken: formToken(visit.secret, '') });

/** A form must carry the token of the page it stood on. */
export const freshToken = <Known extends FormContext>(_: Screen, visit: Known): Verdict<Known> =>
  fresh(visit, fieldOf(visit, 'form'));

/** A body that is no form must carry the token beside it. */
export const freshHeader: Guard<SignedInContext, SignedInContext> = (_, visit) => {
  const token = visit.request.headers['x-pinfold-form'];
  return fresh(visit, typeof token === 'string' ? token : undefined);
};

/** Lets a visit go on. */
export function passed<Known extends RequestContext>(visit: Known): Verdict<Known> {
  return { kind: 'passed', visit };
}

function fresh<Known extends FormContext>(visit: Known, sent: string | undefined): Verdict<Known> {
  return isSameToken(visit.formToken, sent)
    ? passed(visit)
    : refuse(visit, 403, 'staleFormTitle', 'staleFormText');
}

/** Believes none of several sign-ins: a sibling may have planted one of them, and with it somebody else's account. */
function startOver(screen: Screen, visit: RequestContext): Answer {
  const { request, response, scope, shown } = visit;
  // Form secrets have been taken away, and a proxy takes only so many headers; the next request brings the sessions.
  if (shown === 'several') writeCookie(response, scope, 'session', '', 0);
  else expireEverywhere(request, response, scope, 'session');
  return askToSignIn(screen, visit, 'signInsMixed');
}

/** Leads to the sign-in page, or tells a script that nobody is signed in. */
export function askToSignIn({ sessions }: Screen, visit: RequestContext, why?: MessageId): Answer {
  visit.who.outcome = 'unauthorized';
  if (wantsJson(visit)) return { kind: 'json', status: 401, body: { kind: 'signed_out' } };
  if (sessions === undefined) return page(strangerView(visit), 401);
  const { request, base } = visit;
  if (request.method !== 'GET') {
    return seeOther(`${base}/sign-in`, { tone: 'bad', message: why ?? 'signedOutMeanwhile' });
  }
  return seeOther(
    request.path === '/' ? `${base}/sign-in` : `${base}/sign-in?to=${encodeURIComponent(request.url)}`,
    why === undefined ? undefined : { tone: 'bad', message: why },
  );
}
