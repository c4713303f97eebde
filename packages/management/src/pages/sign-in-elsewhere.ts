import type { SignInFailure, SignInProblem } from '@pinfold/core';
import { clientOf, html } from '@pinfold/http/internal';
import type { Request } from 'express';
import type { MessageId } from '../messages/catalogues.ts';
import { expireEverywhere, readCookies, writeCookie } from '../request/cookies.ts';
import { countFailedAttempt } from '../request/rates.ts';
import type { FormContext, SignedIn } from '../request/request-context.ts';
import { type Answer, page, seeOther, withLog } from '../response/answer.ts';
import { refuse } from '../response/refuse.ts';
import { bounceView } from '../views/error-view.ts';
import { cardPage } from '../views/layout.ts';
import { returnPath, setSessionCookie } from './sign-in.ts';

type ProviderContext = FormContext & Pick<SignedIn<'identityProvider' | 'sessions'>, 'screen'>;

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
