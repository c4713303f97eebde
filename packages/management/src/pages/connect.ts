import { CHANGE_COST, pairingCode } from '@pinfold/core/internal';
import { type Html, html } from '@pinfold/http/internal';
import { refuseStranger } from '../request/rates.ts';
import {
  fieldOf,
  type RequestContext,
  type SignedIn,
  type SignedInContext,
} from '../request/request-context.ts';
import { type Answer, logged, page, seeOther } from '../response/answer.ts';
import { refuse, refuseChanges } from '../response/refuse.ts';
import { disabledInReadOnly, fieldForm, hidden } from '../views/forms.ts';
import { cardPage } from '../views/layout.ts';
import { keyFields, keysFull, readKeyRequest } from './keys.ts';

const POLL_SECONDS = 2;
/** After how many seconds a program is to try again that finds too many others. */
const FULL_SECONDS = 30;

/** The answer to a poll before the person has agreed; an unknown secret is answered the same way. */
const WAITING: Answer = { kind: 'json', status: 202, body: { status: 'waiting' }, retryAfter: POLL_SECONDS };

type Pairing = RequestContext & Pick<SignedIn<'pairings'>, 'screen'>;

export async function registerConnect(visit: Pairing): Promise<Answer> {
  const limited = await refuseStranger(visit, CHANGE_COST);
  if (limited !== undefined) return limited;
  const { kind } = await visit.screen.pairings.register(fieldOf(visit, 'request') ?? '');
  if (kind === 'unknown') return refuse(visit, 400, 'badFormTitle', 'badFormText');
  if (kind === 'full') return { ...refuse(visit, 503, 'busyTitle', 'unavailable'), retryAfter: FULL_SECONDS };
  return { kind: 'json', status: 200, body: { status: 'registered' }, retryAfter: POLL_SECONDS };
}

/** Shows what a program asks for, with eight characters to compare, or how one is made to ask. */
export async function showConnect(visit: SignedIn<'pairings'>): Promise<Answer> {
  const { request, screen, account } = visit;
  const { request: secretHash, label } = request.query;
  if (typeof secretHash !== 'string') return connectPage(visit, howTo(visit));
  if (!(await screen.pairings.isRegistered(secretHash))) return unknown(visit);
  const full = await screen.keys?.refuseFurther(account);
  if (full !== undefined) return noRoom(visit, keysFull(visit, full));
  return connectPage(visit, agreement(visit, secretHash, typeof label === 'string' ? label : ''));
}

export async function connect(visit: SignedIn<'pairings'>): Promise<Answer> {
  const { account, cause, credential, screen } = visit;
  const secretHash = fieldOf(visit, 'request') ?? '';
  const { label, scopes, trouble } = readKeyRequest(visit);
  if (trouble !== undefined) {
    if (!(await screen.pairings.isRegistered(secretHash))) return unknown(visit);
    return connectPage(visit, agreement(visit, secretHash, label, trouble), 422, 'invalid_form');
  }
  const given = { session: credential.session ?? null, apiKey: credential.key ?? null };
  const outcome = await screen.pairings.agree({ secretHash, account, scopes, label, cause, given });
  switch (outcome.kind) {
    case 'agreed':
      return seeOther(`${visit.base}/keys`, { tone: 'good', message: 'didConnect' });
    case 'unknown':
      return unknown(visit);
    default:
      return noRoom(visit, keysFull(visit, outcome));
  }
}

/** Gives a program its key once a person has agreed. A secret that belongs to no registration counts as a guess. */
export async function handOverKey(visit: Pairing): Promise<Answer> {
  const outcome = await visit.screen.pairings.redeem(fieldOf(visit, 'secret') ?? '', visit.origin);
  switch (outcome.kind) {
    case 'unknown':
      return (await refuseStranger(visit)) ?? WAITING;
    case 'waiting':
      return WAITING;
    case 'refused': {
      if (outcome.code !== 'quota_exceeded') return refuseChanges(visit, outcome);
      const body = { kind: 'refused', message: keysFull(visit, outcome) };
      return { kind: 'json', status: 403, body, log: { outcome: outcome.code } };
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

function connectPage(visit: SignedInContext, content: Html, status = 200, outcome?: string): Answer {
  const title = visit.words.say('connectTitle');
  const answer = page(cardPage(visit, title, content, { signedIn: visit, part: 'keys' }), status);
  return outcome === undefined ? answer : logged(answer, { outcome });
}

function unknown(visit: SignedInContext): Answer {
  const content = html`<p class="error" role="alert">${visit.words.say('connectUnknown')}</p>${howTo(visit)}`;
  return connectPage(visit, content, 400, 'invalid_form');
}

function noRoom(visit: SignedInContext, why: string): Answer {
  const { words, base } = visit;
  const content = html`<p class="error" role="alert">${why}</p>
<div class="buttons"><a class="button" href="${base}/keys">${words.say('keys')}</a></div>`;
  return connectPage(visit, content, 403, 'quota_exceeded');
}

function agreement(visit: SignedInContext, secretHash: string, label: string, trouble?: string): Html {
  const { words, base, displayName } = visit;
  const fields = html`${hidden('request', secretHash)}
${keyFields(visit, label, trouble)}
<div class="buttons"><button class="primary"${disabledInReadOnly(visit)}>${words.say('connectAgree')}</button> <a class="button" href="${base}/">${words.say('cancel')}</a></div>`;
  return html`<p dir="auto">${words.say('connectIntro', { name: displayName })}</p>
<pre class="pairing-code" tabindex="0"><code>${pairingCode(secretHash)}</code></pre>
<p><strong>${words.say('connectWarning')}</strong></p>
${fieldForm(visit, `${base}/connect`, fields)}`;
}

function howTo({ words, screen }: SignedInContext): Html {
  return html`<p>${words.say('connectHow')}</p>
<pre tabindex="0"><code>pinfold login ${screen.publicUrl}</code></pre>`;
}
