import { isOperatorText } from '@pinfold/core/internal';
import { type Html, html } from '@pinfold/http/internal';
import type { NodeHealth } from '../options.ts';
import { fieldOf, type SignedIn, type SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { administrationPage } from '../views/administration.ts';
import { choice, choices, field, fieldForm } from '../views/forms.ts';
import { icon } from '../views/icons.ts';
import { card, heading } from '../views/parts.ts';
import { factList } from '../views/tables.ts';

const PATH = '/administration/service';

const PART_STATES = {
  ok: ['live', 'partOk'],
  slow: ['soon', 'partSlow'],
  low: ['soon', 'partLow'],
  full: ['soon', 'partFull'],
  unavailable: ['stopped', 'partUnavailable'],
} as const;

/** @param wrong the message that was refused. */
export async function showService(visit: SignedIn<'administration'>, wrong?: string): Promise<Answer> {
  const { words, base, screen } = visit;
  const { kind, message } = await screen.administration.showService();
  const health = screen.health?.();
  const mode = choices(visit, 'serviceMode', [
    choice('radio', 'mode', 'normal', words.say('serviceNormal'), kind === 'normal'),
    choice('radio', 'mode', 'read_only', words.say('serviceReadOnly'), kind === 'read_only'),
  ]);
  const text = field(visit, 'message', 'serviceMessage', {
    value: wrong ?? message ?? '',
    hint: words.say('serviceMessageHint'),
    error: wrong === undefined ? undefined : words.say('serviceMessageWrong'),
  });
  const content = html`
${mode}
${text}
<div class="buttons"><button>${words.say('serviceSet')}</button></div>`;
  const main = html`${heading(words.say('service'))}
${health && healthCard(visit, health)}
${card(visit, 'serviceMode', fieldForm(visit, base + PATH, content))}`;
  return page(administrationPage(visit, 'service', main), wrong === undefined ? 200 : 422);
}

export async function changeService(visit: SignedIn<'administration'>): Promise<Answer> {
  const kind = fieldOf(visit, 'mode') === 'read_only' ? 'read_only' : 'normal';
  const message = (fieldOf(visit, 'message') ?? '').trim();
  if (message !== '' && !isOperatorText(message)) return showService(visit, message);
  const mode = { kind, message: message === '' ? null : message } as const;
  await visit.screen.administration.changeService(mode, visit.cause);
  const done = kind === 'read_only' ? 'didMakeReadOnly' : 'didMakeNormal';
  return seeOther(visit.base + PATH, { tone: 'good', message: done });
}

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
