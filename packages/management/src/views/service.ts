import type { Mode } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import type { NodeHealth } from '../options.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { administrationPage } from './administration.ts';
import { icon } from './icons.ts';
import { card } from './parts.ts';
import { factList } from './tables.ts';

export function serviceView(
  visit: SignedInContext,
  mode: Mode,
  health: NodeHealth | undefined,
  trouble: { readonly message: string } | undefined,
): Html {
  const { words, base, formToken } = visit;
  const choice = (value: Mode['kind'], message: MessageId) =>
    html`<label class="check"><input type="radio" name="mode" value="${value}"${value === mode.kind ? html` checked` : undefined}> <span>${words.say(message)}</span></label>`;
  const invalid = trouble === undefined ? undefined : html` aria-invalid="true" autofocus`;
  const form = html`<form method="post" action="${base}/administration/service" class="field-form"><input type="hidden" name="form" value="${formToken}">
<fieldset><legend>${words.say('serviceMode')}</legend>${choice('normal', 'serviceNormal')}${choice('read_only', 'serviceReadOnly')}</fieldset>
<div class="field"><label for="message">${words.say('serviceMessage')}</label>
<input id="message" name="message" autocomplete="off" dir="auto" value="${trouble?.message ?? mode.message ?? ''}" aria-describedby="message-hint${trouble === undefined ? '' : ' message-error'}"${invalid}>
<p class="quiet hint" id="message-hint">${words.say('serviceMessageHint')}</p>
${trouble === undefined ? undefined : html`<p class="error" id="message-error">${words.say('serviceMessageWrong')}</p>`}</div>
<div class="buttons"><button>${words.say('serviceSet')}</button></div></form>`;
  return administrationPage(visit, {
    part: 'service',
    title: words.say('service'),
    main: html`<div class="head"><h1>${words.say('service')}</h1></div>
${health && healthCard(visit, health)}
${card(visit, 'serviceMode', form)}`,
  });
}

const PART_STATES = {
  ok: ['live', 'partOk'],
  slow: ['soon', 'partSlow'],
  low: ['soon', 'partLow'],
  full: ['soon', 'partFull'],
  unavailable: ['stopped', 'partUnavailable'],
} as const;

function healthCard(visit: SignedInContext, { node, version, parts, clock }: NodeHealth): Html {
  const { words } = visit;
  const part = (state: keyof typeof PART_STATES) => {
    const [look, message] = PART_STATES[state];
    return html`<span class="state ${look}">${icon(look)}${words.say(message)}</span>`;
  };
  const content = factList(visit, [
    ['partDatabase', part(parts.database)],
    ['partStorage', part(parts.storage)],
    ['partStaging', part(parts.staging)],
    ['clockAhead', clock === null ? undefined : words.seconds(clock)],
    ['node', html`<span dir="auto">${node}</span>`],
    ['version', version],
  ]);
  return card(visit, 'health', content);
}
