import type { IdentityProvider, Sessions, StartedSession } from '@pinfold/core';
import type { MessageId } from '../messages/catalogues.ts';
import type { Screen } from '../options.ts';
import { expireEverywhere, readCookies, writeCookie } from '../request/cookies.ts';
import { refuseStranger } from '../request/rates.ts';
import { type FormContext, fieldOf, type SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { signInView } from '../views/sign-in.ts';
import { signedOutView } from '../views/sign-in-elsewhere.ts';

/** By what people sign in. */
export interface SigningIn {
  readonly sessions: Sessions;
  readonly identityProvider?: IdentityProvider;
}

/** The way back to a page of this screen; `undefined` for anything that could lead elsewhere. */
export function returnPath(value: unknown): string | undefined {
  const isOurs = typeof value === 'string' && /^\/(?![/\\])[\x21-\x7e]{0,2047}$/.test(value);
  return isOurs ? value : undefined;
}

/** The page; a link's token is looked at only when its button is pressed. */
export async function showSignIn(
  { identityProvider }: Pick<SigningIn, 'identityProvider'>,
  visit: FormContext,
): Promise<Answer> {
  const { link, to } = visit.request.query;
  return page(
    signInView(visit, {
      to: returnPath(to),
      link: typeof link === 'string' && link !== '' ? link : undefined,
      provider: identityProvider?.name,
    }),
  );
}

/** Begins a session by a link or a key. */
export async function signIn(screen: Screen & SigningIn, visit: FormContext): Promise<Answer> {
  const { sessions, identityProvider } = screen;
  const to = returnPath(fieldOf(visit, 'to'));
  const started = await start(sessions, visit);
  if (typeof started === 'string') {
    // A key that lacks the scope is a right one all the same.
    const refused = started === 'keyLacksScope' ? undefined : await refuseStranger(screen, visit);
    if (refused !== undefined) return refused;
    const model = { to, link: undefined, provider: identityProvider?.name, trouble: started };
    return page(signInView(visit, model), 401);
  }
  keepSession(visit, started);
  return seeOther(`${visit.base}${to ?? '/'}`);
}

/** Gives a browser its session. */
export function keepSession({ request, response, scope }: FormContext, { token }: StartedSession): void {
  // Any other would be the second of two at the next request.
  if (readCookies(request, scope, 'session').length > 0) {
    expireEverywhere(request, response, scope, 'session');
  }
  writeCookie(response, scope, 'session', token);
}

/** Ends the session, and leads to where the provider ends its own, if that began it. */
export async function signOut(
  { sessions, identityProvider }: SigningIn,
  visit: SignedInContext,
): Promise<Answer> {
  const { request, response, scope } = visit;
  for (const token of readCookies(request, scope, 'session')) await sessions.end(token, visit.origin);
  writeCookie(response, scope, 'session', '', 0);
  const isElsewhere = visit.cause.actor.kind === 'person';
  const elsewhere = isElsewhere ? await identityProvider?.signOutUrl() : undefined;
  if (elsewhere !== undefined) return page(signedOutView(visit, elsewhere));
  return seeOther(`${visit.base}/sign-in`, { tone: 'good', message: 'signedOut' });
}

async function start(sessions: Sessions, visit: FormContext): Promise<StartedSession | MessageId> {
  const started = await attempt(sessions, visit);
  const { who } = visit;
  if (typeof started === 'string') {
    who.outcome = started === 'keyLacksScope' ? 'forbidden' : 'unauthorized';
    return started;
  }
  who.account = started.session.account;
  if (started.session.apiKey !== null) who.key = started.session.apiKey;
  return started;
}

async function attempt(sessions: Sessions, visit: FormContext): Promise<StartedSession | MessageId> {
  const link = fieldOf(visit, 'link');
  if (link !== undefined) return (await sessions.redeem(link, visit.origin)) ?? 'linkUsed';
  const started = await sessions.signInWithKey(fieldOf(visit, 'key') ?? '', visit.origin);
  if (started === undefined) return 'keyUnknown';
  return started.kind === 'refused' ? 'keyLacksScope' : started;
}
