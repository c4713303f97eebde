import { pairingCode } from '@pinfold/core/accounts';
import { type Html, html } from '@pinfold/http';
import type { SignedInVisit } from '../visiting/visit.ts';
import { keyFields } from './keys.ts';
import { layout } from './layout.ts';

/** What the page shows of a program that asks for a key. */
export interface ConnectModel {
  /** The hash of its secret, as it came; absent where nobody asks. */
  readonly secretHash: string | undefined;
  readonly label: string;
  /** What was wrong with the form. */
  readonly trouble: string | undefined;
}

/** Shows the eight characters to compare, and a form to agree; else how a program is made to ask. */
export function connectView(visit: SignedInVisit, model: ConnectModel): Html {
  const { words } = visit;
  const { secretHash = '' } = model;
  const code = pairingCode(secretHash);
  return layout(visit, {
    title: words.say('connectTitle'),
    signedIn: visit,
    part: 'keys',
    main: html`<section class="card narrow"><h1>${words.say('connectTitle')}</h1>
${code === undefined ? howTo(visit, model) : form(visit, secretHash, code, model)}</section>`,
  });
}

function form(
  visit: SignedInVisit,
  secretHash: string,
  code: string,
  { label, trouble }: Pick<ConnectModel, 'label' | 'trouble'>,
): Html {
  const { words, base, displayName } = visit;
  return html`<p dir="auto">${words.say('connectIntro', { name: displayName })}</p>
<pre tabindex="0"><code>${code}</code></pre>
<p><strong>${words.say('connectWarning')}</strong></p>
<form method="post" action="${base}/connect" class="field-form">
<input type="hidden" name="form" value="${visit.formToken}"><input type="hidden" name="request" value="${secretHash}">
${keyFields(visit, label, trouble)}
<div class="buttons"><button class="primary">${words.say('connectAgree')}</button> <a class="button" href="${base}/">${words.say('connectRefuse')}</a></div></form>`;
}

function howTo({ words, publicUrl }: SignedInVisit, { secretHash }: Pick<ConnectModel, 'secretHash'>): Html {
  const wrong = html`<p class="error" role="alert">${words.say('connectUnknown')}</p>`;
  return html`${secretHash === undefined ? undefined : wrong}<p>${words.say('connectHow')}</p>
<pre tabindex="0"><code>pinfold login ${publicUrl}</code></pre>`;
}
