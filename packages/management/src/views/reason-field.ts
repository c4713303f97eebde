import { type Html, html } from '@pinfold/http';
import type { SignedInContext } from '../request/request-context.ts';

/** Asks why something is done. */
export function reasonField({ words }: SignedInContext, isWrong: boolean): Html {
  const invalid = isWrong ? html` aria-invalid="true" autofocus` : undefined;
  return html`<div class="field"><label for="reason">${words.say('reason')}</label>
<input id="reason" name="reason" required maxlength="510" autocomplete="off" dir="auto" aria-describedby="reason-hint${isWrong ? ' reason-error' : ''}"${invalid}>
<p class="quiet hint" id="reason-hint">${words.say('reasonHint')}</p>
${isWrong ? html`<p class="error" id="reason-error">${words.say('reasonWrong')}</p>` : undefined}</div>`;
}
