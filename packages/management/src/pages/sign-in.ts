import type { StartedSession } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import { expireEverywhere, readCookies, writeCookie } from '../request/cookies.ts';
import { countFailedAttempt } from '../request/rates.ts';
import { type FormContext, fieldOf, type SignedIn } from '../request/request-context.ts';
import { type Answer, page, seeOther, withLog } from '../response/answer.ts';
import { leaveView } from '../views/error-view.ts';
import { field, fieldForm, form, hidden } from '../views/forms.ts';
import { icon } from '../views/icons.ts';
import { layout } from '../views/layout.ts';

export type SessionsContext = FormContext & Pick<SignedIn<'sessions'>, 'screen'>;

/** Accepts a path of this screen to return to; `undefined` for anything that could lead to another host. */
export function returnPath(value: unknown): string | undefined {
  const isOurs = typeof value === 'string' && /^\/(?![/\\])[\x21-\x7e]{0,2047}$/.test(value);
  return isOurs ? value : undefined;
}

/** Shows the page. The token of a link is checked only when its button is pressed. */
export async function showSignIn(context: FormContext): Promise<Answer> {
  const { link, to } = context.query;
  const token = typeof link === 'string' && link !== '' ? link : undefined;
  return page(signInView(context, returnPath(to), token));
}

export async function signIn(context: SessionsContext): Promise<Answer> {
  const to = returnPath(fieldOf(context, 'to'));
  const started = await startSession(context);
  if (typeof started !== 'string') {
    const { account, apiKey: key } = started.session;
    setSessionCookie(context, started);
    return withLog(seeOther(`${context.base}${to ?? '/'}`), { account, ...(key === null ? {} : { key }) });
  }
  const lacksScope = started === 'keyLacksScope';
  // A key without the scope is a valid key.
  const refused = lacksScope ? undefined : await countFailedAttempt(context);
  const answer = refused ?? page(signInView(context, to, undefined, started), 401);
  return withLog(answer, { outcome: lacksScope ? 'forbidden' : 'unauthorized', ...answer.log });
}

export function setSessionCookie({ request, response, scope }: FormContext, { token }: StartedSession): void {
  // With a second session cookie, the next request would trust neither.
  if (readCookies(request, scope, 'session').length > 0) {
    expireEverywhere(request, response, scope, 'session');
  }
  writeCookie(response, scope, 'session', token);
}

/** Ends the session. If an identity provider began it, leads to the provider's own sign-out. */
export async function signOut(context: SignedIn<'sessions'>): Promise<Answer> {
  const { request, response, scope, screen } = context;
  const { sessions, identityProvider } = screen;
  for (const token of readCookies(request, scope, 'session')) await sessions.end(token, context.origin);
  writeCookie(response, scope, 'session', '', 0);
  const isElsewhere = context.cause.actor.kind === 'person';
  const elsewhere = isElsewhere ? await identityProvider?.signOutUrl() : undefined;
  if (elsewhere !== undefined) return page(leaveView(context, elsewhere, 'signedOut', 'signOutElsewhere'));
  return seeOther(`${context.base}/sign-in`, { tone: 'good', message: 'signedOut' });
}

async function startSession(context: SessionsContext): Promise<StartedSession | MessageId> {
  const { sessions } = context.screen;
  const link = fieldOf(context, 'link');
  if (link !== undefined) return (await sessions.redeem(link, context.origin)) ?? 'linkUsed';
  const started = await sessions.signInWithKey(fieldOf(context, 'key') ?? '', context.origin);
  if (started === undefined) return 'keyUnknown';
  return started.kind === 'refused' ? 'keyLacksScope' : started;
}

/** Shows a button for a one-time link, or else a field for an API key. */
function signInView(
  context: FormContext,
  to: string | undefined,
  link?: string,
  formError?: MessageId,
): Html {
  const { messages } = context;
  const content = link === undefined ? withoutLink(context, to, formError) : linkForm(context, to, link);
  const title = messages.text('signIn');
  const main = html`<section class="card narrow sign-in"><h1>${title}</h1>
${content}
</section>`;
  return layout(context, { title, main });
}

/** Requires a click: programs that open links in advance would use up the link. */
function linkForm(context: FormContext, to: string | undefined, link: string): Html {
  const { messages, base } = context;
  const content = html`${to && hidden('to', to)}${hidden('link', link)}
<button class="primary wide" autofocus>${messages.text('signIn')}</button>`;
  return html`<p>${messages.text('linkIntro')}</p>
${form(context, `${base}/sign-in`, content)}`;
}

function withoutLink(context: FormContext, to: string | undefined, formError: MessageId | undefined): Html {
  const { messages, base } = context;
  const provider = context.screen.identityProvider?.name;
  if (provider === undefined) return keyForm(context, to, formError, html` autofocus`);
  const query = to === undefined ? '' : `?to=${encodeURIComponent(to)}`;
  return html`<p><a class="button primary wide" href="${base}/sign-in/oidc/begin${query}">${messages.text('signInWith', { name: provider })}</a></p>
<details${formError && html` open`}><summary>${messages.text('signInOtherwise')}</summary>
${keyForm(context, to, formError)}
</details>`;
}

function keyForm(
  context: FormContext,
  to: string | undefined,
  formError: MessageId | undefined,
  focus?: Html,
): Html {
  const { messages, base } = context;
  const invalid = formError && html` aria-invalid="true"`;
  const content = html`${to && hidden('to', to)}
${field(context, 'key', 'keyLabel', {
  isSecret: true,
  hint: messages.text('keyHint'),
  describedBy: formError && 'key-error',
  attributes: html`autocomplete="current-password" autocapitalize="none" spellcheck="false" required${focus}${invalid}`,
})}
<button class="primary wide">${messages.text('signIn')}</button>`;
  return html`${formError && html`<div class="flash bad" role="alert">${icon('bad')}<p id="key-error">${messages.text(formError)}</p></div>`}
<p>${messages.text('signInAsk')}</p>
${fieldForm(context, `${base}/sign-in`, content)}
<details class="for-operator"><summary>${messages.text('signInOperator')}</summary>
<p>${messages.text('signInByLink')}</p><pre tabindex="0"><code>pinfold manage</code></pre>
<p>${messages.text('signInFromClone')}</p><pre tabindex="0"><code>npm run -s pinfold -- manage</code></pre></details>`;
}
