import type { StartedSession } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import { expireEverywhere, readCookies, writeCookie } from '../request/cookies.ts';
import { refuseStranger } from '../request/rates.ts';
import { type FormContext, fieldOf, type SignedIn } from '../request/request-context.ts';
import { type Answer, logged, page, seeOther } from '../response/answer.ts';
import { field, fieldForm, form, hidden } from '../views/forms.ts';
import { icon } from '../views/icons.ts';
import { layout } from '../views/layout.ts';
import { leaveView } from '../views/trouble.ts';

export type SigningIn = FormContext & Pick<SignedIn<'sessions'>, 'screen'>;

/** The way back to a page of this screen; `undefined` for anything that could lead elsewhere. */
export function returnPath(value: unknown): string | undefined {
  const isOurs = typeof value === 'string' && /^\/(?![/\\])[\x21-\x7e]{0,2047}$/.test(value);
  return isOurs ? value : undefined;
}

/** The page; a link's token is looked at only when its button is pressed. */
export async function showSignIn(visit: FormContext): Promise<Answer> {
  const { link, to } = visit.request.query;
  const known = typeof link === 'string' && link !== '' ? link : undefined;
  return page(signInView(visit, returnPath(to), known));
}

export async function signIn(visit: SigningIn): Promise<Answer> {
  const to = returnPath(fieldOf(visit, 'to'));
  const started = await attempt(visit);
  if (typeof started !== 'string') {
    const { account, apiKey: key } = started.session;
    keepSession(visit, started);
    return logged(seeOther(`${visit.base}${to ?? '/'}`), { account, ...(key === null ? {} : { key }) });
  }
  const lacksScope = started === 'keyLacksScope';
  // A key without the scope is a valid key.
  const refused = lacksScope ? undefined : await refuseStranger(visit);
  const answer = refused ?? page(signInView(visit, to, undefined, started), 401);
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
export async function signOut(visit: SignedIn<'sessions'>): Promise<Answer> {
  const { request, response, scope, screen } = visit;
  const { sessions, identityProvider } = screen;
  for (const token of readCookies(request, scope, 'session')) await sessions.end(token, visit.origin);
  writeCookie(response, scope, 'session', '', 0);
  const isElsewhere = visit.cause.actor.kind === 'person';
  const elsewhere = isElsewhere ? await identityProvider?.signOutUrl() : undefined;
  if (elsewhere !== undefined) return page(leaveView(visit, elsewhere, 'signedOut', 'signOutElsewhere'));
  return seeOther(`${visit.base}/sign-in`, { tone: 'good', message: 'signedOut' });
}

async function attempt(visit: SigningIn): Promise<StartedSession | MessageId> {
  const { sessions } = visit.screen;
  const link = fieldOf(visit, 'link');
  if (link !== undefined) return (await sessions.redeem(link, visit.origin)) ?? 'linkUsed';
  const started = await sessions.signInWithKey(fieldOf(visit, 'key') ?? '', visit.origin);
  if (started === undefined) return 'keyUnknown';
  return started.kind === 'refused' ? 'keyLacksScope' : started;
}

/** A button if a link led here, else a field for an API key. */
function signInView(visit: FormContext, to: string | undefined, link?: string, trouble?: MessageId): Html {
  const { words } = visit;
  const content = link === undefined ? withoutLink(visit, to, trouble) : linkForm(visit, to, link);
  const title = words.say('signIn');
  const main = html`<section class="card narrow sign-in"><h1>${title}</h1>
${content}
</section>`;
  return layout(visit, { title, main });
}

/** Signing in takes a click: programs that open links in advance would use the link up. */
function linkForm(visit: FormContext, to: string | undefined, link: string): Html {
  const { words, base } = visit;
  const content = html`${to && hidden('to', to)}${hidden('link', link)}
<button class="primary wide" autofocus>${words.say('signIn')}</button>`;
  return html`<p>${words.say('linkIntro')}</p>
${form(visit, `${base}/sign-in`, content)}`;
}

function withoutLink(visit: FormContext, to: string | undefined, trouble: MessageId | undefined): Html {
  const { words, base } = visit;
  const provider = visit.screen.identityProvider?.name;
  if (provider === undefined) return keyForm(visit, to, trouble, html` autofocus`);
  const query = to === undefined ? '' : `?to=${encodeURIComponent(to)}`;
  return html`<p><a class="button primary wide" href="${base}/sign-in/oidc/begin${query}">${words.say('signInWith', { name: provider })}</a></p>
<details${trouble && html` open`}><summary>${words.say('signInOtherwise')}</summary>
${keyForm(visit, to, trouble)}
</details>`;
}

function keyForm(
  visit: FormContext,
  to: string | undefined,
  trouble: MessageId | undefined,
  focus?: Html,
): Html {
  const { words, base } = visit;
  const invalid = trouble && html` aria-invalid="true"`;
  const content = html`${to && hidden('to', to)}
${field(visit, 'key', 'keyLabel', {
  isSecret: true,
  hint: words.say('keyHint'),
  describedBy: trouble && 'key-error',
  attributes: html`autocomplete="current-password" autocapitalize="none" spellcheck="false" required${focus}${invalid}`,
})}
<button class="primary wide">${words.say('signIn')}</button>`;
  return html`${trouble && html`<div class="said bad" role="alert">${icon('bad')}<p id="key-error">${words.say(trouble)}</p></div>`}
<p>${words.say('signInAsk')}</p>
${fieldForm(visit, `${base}/sign-in`, content)}
<details class="for-operator"><summary>${words.say('signInOperator')}</summary>
<p>${words.say('signInByLink')}</p><pre tabindex="0"><code>pinfold manage</code></pre>
<p>${words.say('signInFromClone')}</p><pre tabindex="0"><code>npm run -s pinfold -- manage</code></pre></details>`;
}
