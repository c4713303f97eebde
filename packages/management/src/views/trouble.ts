import { type Html, html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import type { RequestContext, SignedInContext } from '../request/request-context.ts';
import { onThisHost } from '../response/answer.ts';
import { layout } from './layout.ts';

/** A page that says what went wrong and what to do, with the navigation of a person who is signed in. */
export function troubleView(
  visit: RequestContext,
  title: MessageId,
  text: MessageId,
  note: string | null = null,
): Html {
  const { words, base } = visit;
  const signedIn = isSignedIn(visit) ? visit : undefined;
  return layout(visit, {
    title: words.say(title),
    ...(signedIn === undefined ? {} : { signedIn }),
    main: html`<section class="card narrow"><h1>${words.say(title)}</h1><p>${words.say(text)}</p>
${note === null ? undefined : html`<p dir="auto">${note}</p>`}
<p><a class="button" href="${base}/">${words.say(signedIn === undefined ? 'signIn' : 'toPublications')}</a></p></section>`,
  });
}

function isSignedIn(visit: RequestContext): visit is SignedInContext {
  return 'caller' in visit;
}

/** A page for a person who is not signed in, where the embedding team signs people in. */
export function strangerView(visit: RequestContext): Html {
  const { words, look } = visit;
  if (look.signInUrl === undefined) return troubleView(visit, 'strangerTitle', 'strangerText');
  return layout(visit, {
    title: words.say('strangerTitle'),
    main: html`<section class="card narrow"><h1>${words.say('strangerTitle')}</h1>
<p><a class="button" href="${look.signInUrl}">${words.say('signIn')}</a></p></section>`,
  });
}

/** A page that leads to itself, or to another address of this screen, as a page of this site. */
export function bounceView(visit: RequestContext, to: string = visit.base + visit.request.url): Html {
  return leaveView(visit, onThisHost(to));
}

export function leaveView(visit: RequestContext, url: string): Html {
  const { words } = visit;
  return layout(visit, {
    title: words.say('continueTitle'),
    head: html`<meta http-equiv="refresh" content="0; url=${url}">`,
    main: html`<section class="card narrow"><h1>${words.say('continueTitle')}</h1>
<p><a class="button" href="${url}">${words.say('continueHere')}</a></p></section>`,
  });
}
