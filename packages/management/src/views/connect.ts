import { pairingCode } from '@pinfold/core/internal';
import { type Html, html } from '@pinfold/http/internal';
import type { SignedInContext } from '../request/request-context.ts';
import { keyFields } from './keys.ts';
import { cardPage } from './layout.ts';
import { disabledInReadOnly } from './parts.ts';

export interface ConnectModel {
  /** A form to agree; how a program is made to ask; that it asks no longer; or that there is no room for a key. */
  readonly kind: 'form' | 'how' | 'unknown' | 'full';
  /** The hash of its secret, as it came; absent without a program. */
  readonly secretHash: string | undefined;
  readonly label: string;
  /** The problem of the form, or why it is not shown. */
  readonly trouble: string | undefined;
}

/** Shows the eight characters to compare, and a form to agree or why it is missing. */
export function connectView(visit: SignedInContext, model: ConnectModel): Html {
  const title = visit.words.say('connectTitle');
  return cardPage(visit, title, mainOf(visit, model), { signedIn: visit, part: 'keys' });
}

function mainOf(visit: SignedInContext, model: ConnectModel): Html {
  const { words, base } = visit;
  switch (model.kind) {
    case 'form':
      return form(visit, model);
    case 'how':
      return howTo(visit);
    case 'unknown':
      return html`<p class="error" role="alert">${words.say('connectUnknown')}</p>${howTo(visit)}`;
    case 'full':
      return html`<p class="error" role="alert">${model.trouble}</p>
<div class="buttons"><a class="button" href="${base}/keys">${words.say('keys')}</a></div>`;
    default:
      return model.kind satisfies never;
  }
}

function form(visit: SignedInContext, { secretHash = '', label, trouble }: ConnectModel): Html {
  const { words, base, displayName } = visit;
  return html`<p dir="auto">${words.say('connectIntro', { name: displayName })}</p>
<pre class="pairing-code" tabindex="0"><code>${pairingCode(secretHash)}</code></pre>
<p><strong>${words.say('connectWarning')}</strong></p>
<form method="post" action="${base}/connect" class="field-form">
<input type="hidden" name="form" value="${visit.formToken}"><input type="hidden" name="request" value="${secretHash}">
${keyFields(visit, label, trouble)}
<div class="buttons"><button class="primary"${disabledInReadOnly(visit)}>${words.say('connectAgree')}</button> <a class="button" href="${base}/">${words.say('cancel')}</a></div></form>`;
}

function howTo({ words, publicUrl }: SignedInContext): Html {
  return html`<p>${words.say('connectHow')}</p>
<pre tabindex="0"><code>pinfold login ${publicUrl}</code></pre>`;
}
