import type { KeyQuotaExceeded } from '@pinfold/core';
import { CHANGE_COST, pairingCode } from '@pinfold/core/internal';
import { type Html, html } from '@pinfold/http/internal';
import { askToSignIn } from '../request/middleware.ts';
import { countFailedAttempt } from '../request/rates.ts';
import {
  fieldOf,
  type RequestContext,
  type SignedIn,
  type SignedInContext,
} from '../request/request-context.ts';
import { type Answer, page, seeOther, withLog } from '../response/answer.ts';
import { refuse, refuseChanges } from '../response/refuse.ts';
import { disabledInReadOnly, fieldForm, hidden } from '../views/forms.ts';
import { cardPage } from '../views/layout.ts';
import { keyFields, readKeyRequest } from './keys.ts';

const POLL_SECONDS = 2;
/** `Retry-After` while too many programs have registered. */
const FULL_SECONDS = 30;

/** The answer to a poll before the person has agreed. An unknown secret gets the same answer. */
const WAITING: Answer = { kind: 'json', status: 202, body: { status: 'waiting' }, retryAfter: POLL_SECONDS };

type PairingContext = RequestContext & Pick<SignedIn<'pairings'>, 'screen'>;

export async function registerConnect(context: PairingContext): Promise<Answer> {
  const limited = await countFailedAttempt(context, CHANGE_COST);
  if (limited !== undefined) return limited;
  const { kind } = await context.screen.pairings.register(fieldOf(context, 'request') ?? '');
  if (kind === 'unknown') return refuse(context, 400, 'badFormTitle', 'badFormText');
  if (kind === 'full')
    return { ...refuse(context, 503, 'busyTitle', 'unavailable'), retryAfter: FULL_SECONDS };
  return { kind: 'json', status: 200, body: { status: 'registered' }, retryAfter: POLL_SECONDS };
}

/** Shows the request of a program, with eight characters to compare; without a request, how to make one. */
export async function showConnect(context: SignedIn<'pairings'>): Promise<Answer> {
  const { query, screen, account } = context;
  const { request: secretHash, label } = query;
  if (typeof secretHash !== 'string') return connectPage(context, howTo(context));
  if (!(await screen.pairings.isRegistered(secretHash))) return unknownPage(context);
  const full = await screen.keys?.checkLimit(account);
  if (full !== undefined) return quotaPage(context, full);
  return connectPage(context, agreement(context, secretHash, typeof label === 'string' ? label : ''));
}

export async function connect(context: SignedIn<'pairings'>): Promise<Answer> {
  const { account, cause, credential, screen } = context;
  const secretHash = fieldOf(context, 'request') ?? '';
  const { label, scopes, formError } = readKeyRequest(context);
  if (formError !== undefined) {
    if (!(await screen.pairings.isRegistered(secretHash))) return unknownPage(context);
    return connectPage(context, agreement(context, secretHash, label, formError), 422, 'invalid_form');
  }
  const outcome = await screen.pairings.agree({ secretHash, account, scopes, label, cause, credential });
  switch (outcome.kind) {
    case 'agreed':
      return seeOther(`${context.base}/keys`, { tone: 'good', message: 'didConnect' });
    case 'unknown':
      return unknownPage(context);
    default:
      return outcome.code === 'unauthorized' ? askToSignIn(context) : quotaPage(context, outcome);
  }
}

/** Gives a program its key once a person has agreed. An unknown secret counts as a failed attempt. */
export async function giveKey(context: PairingContext): Promise<Answer> {
  const outcome = await context.screen.pairings.redeem(fieldOf(context, 'secret') ?? '', context.origin);
  switch (outcome.kind) {
    case 'unknown':
      return (await countFailedAttempt(context)) ?? WAITING;
    case 'waiting':
      return WAITING;
    case 'refused': {
      if (outcome.code !== 'quota_exceeded') return refuseChanges(context, outcome);
      const message = context.messages.text('quota_keys', { limit: outcome.limit });
      return {
        kind: 'json',
        status: 403,
        body: { kind: 'refused', message },
        log: { outcome: outcome.code },
      };
    }
    case 'made': {
      const { key, text } = outcome;
      const { id, account, scopes } = key;
      const body = { status: 'given', key: text, id, account, scopes };
      return { kind: 'json', status: 200, body, log: { account, key: id } };
    }
    default:
      return outcome satisfies never;
  }
}

function connectPage(context: SignedInContext, content: Html, status = 200, outcome?: string): Answer {
  const title = context.messages.text('connectTitle');
  const answer = page(cardPage(context, title, content, { part: 'keys' }), status);
  return outcome === undefined ? answer : withLog(answer, { outcome });
}

function unknownPage(context: SignedInContext): Answer {
  const content = html`<p class="error" role="alert">${context.messages.text('connectUnknown')}</p>${howTo(context)}`;
  return connectPage(context, content, 400, 'invalid_form');
}

function quotaPage(context: SignedInContext, { limit }: KeyQuotaExceeded): Answer {
  const { messages, base } = context;
  const content = html`<p class="error" role="alert">${messages.text('quota_keys', { limit })}</p>
<div class="buttons"><a class="button" href="${base}/keys">${messages.text('keys')}</a></div>`;
  return connectPage(context, content, 403, 'quota_exceeded');
}

function agreement(context: SignedInContext, secretHash: string, label: string, formError?: string): Html {
  const { messages, base, displayName } = context;
  const fields = html`${hidden('request', secretHash)}
${keyFields(context, label, formError)}
<div class="buttons"><button class="primary"${disabledInReadOnly(context)}>${messages.text('connectAgree')}</button> <a class="button" href="${base}/">${messages.text('cancel')}</a></div>`;
  return html`<p dir="auto">${messages.text('connectIntro', { name: displayName })}</p>
<pre class="pairing-code" tabindex="0"><code>${pairingCode(secretHash)}</code></pre>
<p><strong>${messages.text('connectWarning')}</strong></p>
${fieldForm(context, `${base}/connect`, fields)}`;
}

function howTo({ messages, screen }: SignedInContext): Html {
  return html`<p>${messages.text('connectHow')}</p>
<pre tabindex="0"><code>pinfold login ${screen.publicUrl}</code></pre>`;
}
