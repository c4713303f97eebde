import type { Sessions, StartedSession } from '@pinfold/core';
import type { MessageId } from '../messages/catalogues.ts';
import type { Screen, With } from '../options.ts';
import { expireEverywhere, readCookies, writeCookie } from '../request/cookies.ts';
import { refuseStranger } from '../request/rates.ts';
import { type FormContext, fieldOf, type SignedInContext } from '../request/request-context.ts';
import { type Answer, logged, page, seeOther } from '../response/answer.ts';
import { signInView } from '../views/sign-in.ts';
import { leaveView } from '../views/trouble.ts';

/** The way back to a page of this screen; `undefined` for anything that could lead elsewhere. */
export function returnPath(value: unknown): string | undefined {
  const isOurs = typeof value === 'string' && /^\/(?![/\\])[\x21-\x7e]{0,2047}$/.test(value);
  return isOurs ? value : undefined;
}

/** The page; a link's token is looked at only when its button is pressed. */
export async function showSignIn({ identityProvider }: Screen, visit: FormContext): Promise<Answer> {
  const { link, to } = visit.request.query;
  return page(
    signInView(visit, {
      to: returnPath(to),
      link: typeof link === 'string' && link !== '' ? link : undefined,
      provider: identityProvider?.name,
    }),
  );
}

export async function signIn(screen: With<'sessions'>, visit: FormContext): Promise<Answer> {
  const { sessions, identityProvider } = screen;
  const to = returnPath(fieldOf(visit, 'to'));
  const started = await attempt(sessions, visit);
  if (typeof started !== 'string') {
    const { account, apiKey: key } = started.session;
    keepSession(visit, started);
    return logged(seeOther(`${visit.base}${to ?? '/'}`), { account, ...(key === null ? {} : { key }) });
  }
  const lacksScope = started === 'keyLacksScope';
  // A key without the scope is a valid key.
  const refused = lacksScope ? undefined : await refuseStranger(screen, visit);
  const model = { to, link: undefined, provider: identityProvider?.name, trouble: started };
  const answer = refused ?? page(signInView(visit, model), 401);
  return logged(answer, { outcome: lacksScope ? 'forbidden' : 'unauthorized', ...answer.log });
}

export function keepSession({ request, response, scope }: FormContext, { token }: StartedSession): void {
  // Any other would be the second of two at the next request.
  if (readCookies(request, scope, 'session').length > 0) {
    expireEverywhere(request, response, scope, 'session');
  }
  writeCookie(response, scope, 'session', token);
}

/** Ends the session, and leads to where the provider ends its own, if that began it. */
export async function signOut(
  { sessions, identityProvider }: With<'sessions'>,
  visit: SignedInContext,
): Promise<Answer> {
  const { request, response, scope } = visit;
  for (const token of readCookies(request, scope, 'session')) await sessions.end(token, visit.origin);
  writeCookie(response, scope, 'session', '', 0);
  const isElsewhere = visit.cause.actor.kind === 'person';
  const elsewhere = isElsewhere ? await identityProvider?.signOutUrl() : undefined;
  if (elsewhere !== undefined) return page(leaveView(visit, elsewhere, 'signedOut', 'signOutElsewhere'));
  return seeOther(`${visit.base}/sign-in`, { tone: 'good', message: 'signedOut' });
}

async function attempt(sessions: Sessions, visit: FormContext): Promise<StartedSession | MessageId> {
  const link = fieldOf(visit, 'link');
  if (link !== undefined) return (await sessions.redeem(link, visit.origin)) ?? 'linkUsed';
  const started = await sessions.signInWithKey(fieldOf(visit, 'key') ?? '', visit.origin);
  if (started === undefined) return 'keyUnknown';
  return started.kind === 'refused' ? 'keyLacksScope' : started;
}
