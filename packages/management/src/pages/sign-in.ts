import type { SignInFailure, SignInProblem, StartedSession } from '@pinfold/core';
import { clientOf, type Html, html } from '@pinfold/http/internal';
import type { Request } from 'express';
import type { MessageId } from '../messages/catalogues.ts';
import { expireEverywhere, readCookies, writeCookie } from '../request/cookies.ts';
import { countFailedAttempt } from '../request/rates.ts';
import { type FormContext, fieldOf, type SignedIn } from '../request/request-context.ts';
import { type Answer, page, seeOther, withLog } from '../response/answer.ts';
import { refuse } from '../response/refuse.ts';
import { field, fieldForm, form, hidden } from '../views/forms.ts';
import { bounceView, cardPage, layout, leaveView } from '../views/layout.ts';
import { icon } from '../views/parts.ts';

type SessionsContext = FormContext & Pick<SignedIn<'sessions'>, 'screen'>;

type ProviderContext = FormContext & Pick<SignedIn<'identityProvider' | 'sessions'>, 'screen'>;

/** Accepts a path of this screen to return to; `undefined` for anything that could lead to another host. */
function returnPath(value: unknown): string | undefined {
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

function setSessionCookie({ request, response, scope }: FormContext, { token }: StartedSession): void {
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

/** Each problem's status and text, and whether it is logged as an error, since only the operator can solve it. */
const PROBLEMS: Readonly<
  Record<SignInProblem, readonly [status: number, text: MessageId, isOfOperator: boolean]>
> = {
  unreachable: [503, 'elsewhereUnreachable', true],
  forgotten: [400, 'elsewhereForgotten', false],
  declined: [403, 'elsewhereDeclined', false],
  late: [400, 'elsewhereLate', false],
  untrusted: [502, 'elsewhereUntrusted', true],
  clock: [502, 'elsewhereClock', true],
  misconfigured: [502, 'elsewhereMisconfigured', true],
  nameless: [403, 'elsewhereNameless', true],
  busy: [503, 'elsewhereBusy', false],
  not_allowed: [403, 'elsewhereNotAllowed', false],
};

/** The provider accepts the stored state for as long. */
const STATE_SECONDS = 600;

export async function beginElsewhere(context: ProviderContext): Promise<Answer> {
  const refused = await countFailedAttempt(context);
  if (refused !== undefined) return refused;
  const { response, scope, screen } = context;
  const signIn = await screen.identityProvider.begin(returnUrl(context));
  if (signIn.kind === 'failed') return await showFailure(context, signIn);
  const to = Buffer.from(returnPath(context.query.to) ?? '').toString('base64url');
  writeCookie(response, scope, 'oidc', `${signIn.browserState}~${to}`, STATE_SECONDS);
  return seeOther(signIn.url);
}

export async function finishElsewhere(context: ProviderContext): Promise<Answer> {
  const { request, response, scope, base, signal, screen } = context;
  const { sessions, identityProvider, clientAddress } = screen;
  const [cookie = '', ...others] = readCookies(request, scope, 'oidc');
  const [browserState, to = ''] = cookie.split('~');
  const query = request.url.slice(request.path.length);
  const callbackUrl = `${returnUrl(context)}${query}`;
  const from = { client: clientOf(clientAddress(request)), signal };
  const outcome = await whileBrowserStays(request, () =>
    identityProvider.finish(callbackUrl, others.length === 0 ? browserState : undefined, from),
  );
  // The cookie may belong to a sign-in that another window began later, or to a request that is sent again.
  const mayComeBack =
    outcome.kind === 'failed' && (outcome.problem === 'forgotten' || outcome.problem === 'busy');
  if (others.length > 0) expireEverywhere(request, response, scope, 'oidc');
  else if (!mayComeBack) writeCookie(response, scope, 'oidc', '', 0);
  if (outcome.kind === 'failed') {
    return (await countFailedAttempt(context)) ?? (await showFailure(context, outcome));
  }
  const { account } = outcome.person;
  const started = await sessions.signInPerson(outcome.person, context.origin);
  if (started.kind === 'refused') {
    return withLog(refuse(context, 403, 'accountBlockedTitle', 'accountErasing'), { account });
  }
  setSessionCookie(context, started);
  const path = returnPath(Buffer.from(to, 'base64url').toString('utf8')) ?? '/';
  return withLog(openOwnPage(context, `${base}${path}`), { account });
}

/** Destroys the connection when the browser ends its side, so that the request is aborted: the person has left. */
async function whileBrowserStays<Result>(
  { socket, httpVersionMajor }: Request,
  work: () => Promise<Result>,
): Promise<Result> {
  if (httpVersionMajor !== 1) return await work();
  const close = (): void => {
    socket.destroy();
  };
  socket.once('end', close);
  try {
    return await work();
  } finally {
    socket.off('end', close);
  }
}

/**
 * Opens a page of this screen. After a redirect that another site began, browsers omit the session cookie; after a page
 * that opens the next one they send it. Over plain http, browsers do not reveal which site began the request.
 */
function openOwnPage(context: FormContext, to: string): Answer {
  const { headers } = context.request;
  const needsPage = headers['sec-fetch-site'] === undefined && headers.accept?.includes('text/html');
  return needsPage ? page(bounceView(context, to)) : seeOther(to);
}

async function showFailure(
  context: ProviderContext,
  { problem, detail, person }: SignInFailure,
): Promise<Answer> {
  const { messages, base, screen } = context;
  const { useCases, sessions, identityProvider } = screen;
  const [status, text, isOfOperator] = PROBLEMS[problem];
  // Records no person without an account: there can be any number of them.
  const isKnown = person !== undefined && (await useCases.accounts.load(person.account)) !== undefined;
  if (isKnown) await sessions.refusePerson(person, context.origin);
  const signOutUrl = person === undefined ? undefined : await identityProvider.signOutUrl();
  const { name } = identityProvider;
  const values = person === undefined ? { name } : { name, person: person.displayName ?? person.account };
  const other =
    signOutUrl &&
    html` <a class="button" href="${signOutUrl}">${messages.text('elsewhereAsAnother', { name })}</a>`;
  const content = html`<p dir="auto">${messages.text(text, values)}</p>
${isOfOperator && problem !== 'unreachable' && html`<p>${messages.text('elsewhereOperator')}</p>`}
<p class="buttons"><a class="button" href="${base}/sign-in">${messages.text('elsewhereAgain')}</a>${other}</p>`;
  return withLog(page(cardPage(context, messages.text('elsewhereTitle'), content), status), {
    outcome: `sign_in_${problem}`,
    ...(person === undefined ? {} : { account: person.account }),
    ...(detail === undefined ? {} : isOfOperator ? { error: new Error(detail) } : { reason: detail }),
  });
}

function returnUrl({ base, screen }: ProviderContext): string {
  return `${new URL(screen.publicUrl).origin}${base}/sign-in/oidc`;
}
