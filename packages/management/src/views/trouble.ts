import { type Html, html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import type { RequestContext, SignedInContext } from '../request/request-context.ts';
import { onThisHost } from '../response/answer.ts';
import { cardPage } from './layout.ts';

export function troubleView(
  visit: RequestContext,
  title: MessageId,
  text: MessageId,
  note: string | null = null,
): Html {
  const { words, base } = visit;
  const signedIn = isSignedIn(visit) ? visit : undefined;
  const content = html`<p>${words.say(text)}</p>
${note && html`<p dir="auto">${note}</p>`}
<p><a class="button" href="${base}/">${words.say(signedIn === undefined ? 'signIn' : 'backToList')}</a></p>`;
  return cardPage(visit, words.say(title), content, signedIn === undefined ? {} : { signedIn });
}

function isSignedIn(visit: RequestContext): visit is SignedInContext {
  return 'caller' in visit;
}

export function strangerView(visit: RequestContext): Html {
  const { words, screen } = visit;
  const { signInUrl } = screen.look;
  if (signInUrl === undefined) return troubleView(visit, 'strangerTitle', 'strangerText');
  const content = html`<p><a class="button" href="${signInUrl}">${words.say('signIn')}</a></p>`;
  return cardPage(visit, words.say('strangerTitle'), content);
}

/** A page that reloads itself, or opens another address of this screen: the browser then sends SameSite=Strict cookies. */
export function bounceView(visit: RequestContext, to: string = visit.base + visit.request.url): Html {
  return leaveView(visit, onThisHost(to));
}

/** A page that opens another site: browsers would block a redirect there from a form. */
export function leaveView(
  visit: RequestContext,
  url: string,
  title: MessageId = 'continueTitle',
  link: MessageId = 'continueHere',
): Html {
  const { words } = visit;
  const content = html`<p><a class="button" href="${url}">${words.say(link)}</a></p>`;
  const head = html`<meta http-equiv="refresh" content="0; url=${url}">`;
  return cardPage(visit, words.say(title), content, { head });
}
