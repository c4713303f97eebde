import { type Html, html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import type { RequestContext, SignedInContext } from '../request/request-context.ts';
import { onThisHost } from '../response/answer.ts';
import { cardPage } from './layout.ts';

export function errorView(
  context: RequestContext,
  title: MessageId,
  text: MessageId,
  note: string | null = null,
): Html {
  const { messages, base } = context;
  const signedIn = isSignedIn(context) ? context : undefined;
  const content = html`<p>${messages.text(text)}</p>
${note && html`<p dir="auto">${note}</p>`}
<p><a class="button" href="${base}/">${messages.text(signedIn === undefined ? 'signIn' : 'backToList')}</a></p>`;
  return cardPage(context, messages.text(title), content, signedIn === undefined ? {} : { signedIn });
}

function isSignedIn(context: RequestContext): context is SignedInContext {
  return 'caller' in context;
}

export function signInFirstView(context: RequestContext): Html {
  const { messages, screen } = context;
  const { signInUrl } = screen.branding;
  if (signInUrl === undefined) return errorView(context, 'signInFirstTitle', 'signInFirstText');
  const content = html`<p><a class="button" href="${signInUrl}">${messages.text('signIn')}</a></p>`;
  return cardPage(context, messages.text('signInFirstTitle'), content);
}

/** A page that reloads itself, or opens another page of this screen: browsers then send SameSite=Strict cookies. */
export function bounceView(context: RequestContext, to: string = context.base + context.request.url): Html {
  return leaveView(context, onThisHost(to));
}

/** A page that opens another site: browsers would block the redirect of a form to it. */
export function leaveView(
  context: RequestContext,
  url: string,
  title: MessageId = 'continueTitle',
  link: MessageId = 'continueHere',
): Html {
  const { messages } = context;
  const content = html`<p><a class="button" href="${url}">${messages.text(link)}</a></p>`;
  const head = html`<meta http-equiv="refresh" content="0; url=${url}">`;
  return cardPage(context, messages.text(title), content, { head });
}
