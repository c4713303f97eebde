import { type Html, html } from '@pinfold/http';
import type { MessageId } from '../messages/catalogues.ts';
import type { RequestContext, SignedInContext } from '../request/request-context.ts';
import { onThisHost } from '../response/answer.ts';
import { layout } from './layout.ts';

/** A page that says what went wrong and what to do; with the navigation for who is signed in. */
export function troubleView(
  visit: RequestContext,
  title: MessageId,
  text: MessageId,
  note: string | null = null,
  signedIn?: SignedInContext,
): Html {
  const { words, base } = visit;
  return layout(visit, {
    title: words.say(title),
    ...(signedIn === undefined ? {} : { signedIn }),
    main: html`<section class="card narrow"><h1>${words.say(title)}</h1><p>${words.say(text)}</p>
${note === null ? undefined : html`<p dir="auto">${note}</p>`}
<p><a class="button" href="${base}/">${words.say('toPublications')}</a></p></section>`,
  });
}

/** The page without a sign-in, where the embedding team signs people in. */
export function strangerView(visit: RequestContext): Html {
  const { words, look } = visit;
  if (look.signInUrl === undefined) return troubleView(visit, 'strangerTitle', 'strangerText');
  return layout(visit, {
    title: words.say('strangerTitle'),
    main: html`<section class="card narrow"><h1>${words.say('strangerTitle')}</h1>
<p><a class="button" href="${look.signInUrl}">${words.say('signIn')}</a></p></section>`,
  });
}

/** A page that leads to where it is itself, or to another address of this screen, as from this site. */
export function bounceView(visit: RequestContext, to: string = visit.base + visit.request.url): Html {
  const { words } = visit;
  const here = onThisHost(to);
  return layout(visit, {
    title: words.say('continueTitle'),
    head: html`<meta http-equiv="refresh" content="0; url=${here}">`,
    main: html`<section class="card narrow"><h1>${words.say('continueTitle')}</h1>
<p><a class="button" href="${here}">${words.say('continueHere')}</a></p></section>`,
  });
}
