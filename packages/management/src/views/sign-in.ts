import { type Html, html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import type { FormContext } from '../request/request-context.ts';
import { icon } from './icons.ts';
import { layout } from './layout.ts';

export interface SignInModel {
  /** Where to go on then. */
  readonly to: string | undefined;
  /** The token of the link that led here. */
  readonly link: string | undefined;
  /** Where people may sign in as well. */
  readonly provider: string | undefined;
  readonly trouble?: MessageId;
}

/** A button if a link led here, else a field for an API key. */
export function signInView(visit: FormContext, model: SignInModel): Html {
  const { words } = visit;
  return layout(visit, {
    title: words.say('signIn'),
    main: html`<section class="card narrow sign-in"><h1>${words.say('signIn')}</h1>
${model.link === undefined ? withoutLink(visit, model) : linkForm(visit, model, model.link)}
</section>`,
  });
}

/** Signing in takes a click: programs that open links in advance would use the link up. */
function linkForm(visit: FormContext, { to }: SignInModel, link: string): Html {
  const { words, base } = visit;
  return html`<p>${words.say('linkIntro')}</p>
<form method="post" action="${base}/sign-in">${hidden(visit, to)}<input type="hidden" name="link" value="${link}">
<button class="primary wide" autofocus>${words.say('signIn')}</button></form>`;
}

/** The identity provider first, if there is one. */
function withoutLink(visit: FormContext, model: SignInModel): Html {
  const { words, base } = visit;
  const { provider, to, trouble } = model;
  if (provider === undefined) return keyForm(visit, model);
  const query = to === undefined ? '' : `?to=${encodeURIComponent(to)}`;
  return html`<p><a class="button primary wide" href="${base}/sign-in/oidc/begin${query}">${words.say('signInWith', { name: provider })}</a></p>
<details${trouble === undefined ? undefined : html` open`}><summary>${words.say('signInOtherwise')}</summary>
${keyForm(visit, model)}
</details>`;
}

function keyForm(visit: FormContext, { to, provider, trouble }: SignInModel): Html {
  const { words, base } = visit;
  const wrong = trouble === undefined ? undefined : html` aria-invalid="true" aria-describedby="key-error"`;
  return html`${trouble === undefined ? undefined : html`<div class="said bad" role="alert">${icon('bad')}<p id="key-error">${words.say(trouble)}</p></div>`}
<p>${words.say('signInAsk')}</p>
<form method="post" action="${base}/sign-in" class="field-form">${hidden(visit, to)}
<div class="field"><label for="key">${words.say('keyLabel')}</label>
<div class="with-button" data-reveal data-show="${words.say('show')}" data-hide="${words.say('hide')}"><input id="key" name="key" type="password" autocomplete="current-password" autocapitalize="none" spellcheck="false" required${provider === undefined ? html` autofocus` : undefined}${wrong}></div>
<p class="quiet hint">${words.say('keyHint')}</p></div>
<button class="primary wide">${words.say('signIn')}</button></form>
<details class="for-operator"><summary>${words.say('signInOperator')}</summary>
<p>${words.say('signInByLink')}</p><pre tabindex="0"><code>pinfold manage</code></pre>
<p>${words.say('signInFromClone')}</p><pre tabindex="0"><code>npm run -s pinfold -- manage</code></pre></details>`;
}

function hidden({ formToken }: FormContext, to: string | undefined): Html {
  return html`<input type="hidden" name="form" value="${formToken}">${to === undefined ? undefined : html`<input type="hidden" name="to" value="${to}">`}`;
}
