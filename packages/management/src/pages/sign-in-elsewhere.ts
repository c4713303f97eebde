import type { SignInProblem, SignInTrouble } from '@pinfold/core';
import { clientOf, html } from '@pinfold/http/internal';
import type { Request } from 'express';
import type { MessageId } from '../messages/catalogues.ts';
import { expireEverywhere, readCookies, writeCookie } from '../request/cookies.ts';
import { refuseStranger } from '../request/rates.ts';
import type { FormContext, SignedIn } from '../request/request-context.ts';
import { type Answer, logged, page, seeOther } from '../response/answer.ts';
import { cardPage } from '../views/layout.ts';
import { bounceView } from '../views/trouble.ts';
import { keepSession, returnPath } from './sign-in.ts';

type Visit = FormContext & Pick<SignedIn<'identityProvider' | 'sessions'>, 'screen'>;

/** The status and text of what went wrong, and whether it is logged for the operator, who alone can solve it. */
const TROUBLES: Readonly<
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

/** As long as the provider accepts the stored state. */
const KEPT_SECONDS = 600;

export async function beginElsewhere(visit: Visit): Promise<Answer> {
  const refused = await refuseStranger(visit);
  if (refused !== undefined) return refused;
  const { request, response, scope, screen } = visit;
  const begun = await screen.identityProvider.begin(returnUrl(visit));
  if (begun.kind === 'trouble') return await troubled(visit, begun);
  const to = Buffer.from(returnPath(request.query.to) ?? '').toString('base64url');
  writeCookie(response, scope, 'oidc', `${begun.kept}~${to}`, KEPT_SECONDS);
  return seeOther(begun.url);
}

export async function finishElsewhere(visit: Visit): Promise<Answer> {
  const { request, response, scope, base, signal, screen } = visit;
  const { sessions, identityProvider, clientAddress } = screen;
  const [cookie = '', ...others] = readCookies(request, scope, 'oidc');
  const [kept, to = ''] = cookie.split('~');
  const query = request.url.slice(request.path.length);
  const cameBack = `${returnUrl(visit)}${query}`;
  const from = { client: clientOf(clientAddress(request)), signal };
  const outcome = await whileBrowserStays(request, () =>
    identityProvider.finish(cameBack, others.length === 0 ? kept : undefined, from),
  );
  if (others.length > 0) expireEverywhere(request, response, scope, 'oidc');
  else if (!mayComeBack(outcome)) writeCookie(response, scope, 'oidc', '', 0);
  if (outcome.kind === 'trouble') {
    return (await refuseStranger(visit)) ?? (await troubled(visit, outcome));
  }
  const { account } = outcome.person;
  keepSession(visit, await sessions.signInPerson(outcome.person, visit.origin));
  const path = returnPath(Buffer.from(to, 'base64url').toString('utf8')) ?? '/';
  return logged(onward(visit, `${base}${path}`), { account });
}

/** Closes the connection when the browser closes its side, which aborts the visit: a browser has then left the page. */
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

/** Whether the cookie is still needed: by another window that began last, or by the same request sent again. */
function mayComeBack(outcome: { readonly kind: string; readonly problem?: string }): boolean {
  return outcome.problem === 'forgotten' || outcome.problem === 'busy';
}

/**
 * Leads to a page of this screen. Over http, without fetch metadata, the screen cannot know that another site led here;
 * behind a redirect the browser would not send the session's cookie, behind a page it does.
 */
function onward(visit: FormContext, to: string): Answer {
  const { headers } = visit.request;
  const isPerson = headers['sec-fetch-site'] === undefined && headers.accept?.includes('text/html');
  return isPerson ? page(bounceView(visit, to)) : seeOther(to);
}

async function troubled(visit: Visit, { problem, detail, person }: SignInTrouble): Promise<Answer> {
  const { words, base, screen } = visit;
  const { useCases, sessions, identityProvider } = screen;
  const [status, text, isOfOperator] = TROUBLES[problem];
  // A person without an account is not recorded: there can be any number of them.
  const isKnown = person !== undefined && (await useCases.accounts.load(person.account)) !== undefined;
  if (isKnown) await sessions.refusePerson(person, visit.origin);
  const signOutUrl = person === undefined ? undefined : await identityProvider.signOutUrl();
  const { name } = identityProvider;
  const values = person === undefined ? { name } : { name, person: person.displayName ?? person.account };
  const other =
    signOutUrl &&
    html` <a class="button" href="${signOutUrl}">${words.say('elsewhereAsAnother', { name })}</a>`;
  const content = html`<p dir="auto">${words.say(text, values)}</p>
${isOfOperator && problem !== 'unreachable' && html`<p>${words.say('elsewhereOperator')}</p>`}
<p class="buttons"><a class="button" href="${base}/sign-in">${words.say('elsewhereAgain')}</a>${other}</p>`;
  return logged(page(cardPage(visit, words.say('elsewhereTitle'), content), status), {
    outcome: `sign_in_${problem}`,
    ...(person === undefined ? {} : { account: person.account }),
    ...(detail === undefined ? {} : isOfOperator ? { error: new Error(detail) } : { reason: detail }),
  });
}

function returnUrl({ base, screen }: Visit): string {
  return `${new URL(screen.publicUrl).origin}${base}/sign-in/oidc`;
}
