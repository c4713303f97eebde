import { isOperatorText } from '@pinfold/core/internal';
import { type Html, html } from '@pinfold/http/internal';
import type { NodeHealth } from '../options.ts';
import { fieldOf, type SignedIn, type SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { choice, choices, field, fieldForm } from '../views/forms.ts';
import { administrationPage } from '../views/layout.ts';
import { card, heading, icon } from '../views/parts.ts';
import { factList } from '../views/tables.ts';

const PATH = '/administration/service';

const PART_STATES = {
  ok: ['live', 'partOk'],
  slow: ['soon', 'partSlow'],
  low: ['soon', 'partLow'],
  full: ['soon', 'partFull'],
  read_only: ['soon', 'partReadOnly'],
  refusing: ['soon', 'partRefusing'],
  unavailable: ['stopped', 'partUnavailable'],
} as const;

/** @param wrong the invalid message that the form sent. */
export async function showService(context: SignedIn<'administration'>, wrong?: string): Promise<Answer> {
  const { messages, base, screen } = context;
  const { kind, message } = await screen.administration.showService();
  const health = screen.health?.();
  const mode = choices(context, 'serviceMode', [
    choice('radio', 'mode', 'normal', messages.text('serviceNormal'), kind === 'normal'),
    choice('radio', 'mode', 'read_only', messages.text('serviceReadOnly'), kind === 'read_only'),
  ]);
  const text = field(context, 'message', 'serviceMessage', {
    value: wrong ?? message ?? '',
    hint: messages.text('serviceMessageHint'),
    error: wrong === undefined ? undefined : messages.text('serviceMessageWrong'),
  });
  const content = html`
${mode}
${text}
<div class="buttons"><button>${messages.text('serviceSet')}</button></div>`;
  const main = html`${heading(messages.text('service'))}
${health && healthCard(context, health)}
${card(context, 'serviceMode', fieldForm(context, base + PATH, content))}`;
  return page(administrationPage(context, 'service', main), wrong === undefined ? 200 : 422);
}

export async function changeService(context: SignedIn<'administration'>): Promise<Answer> {
  const kind = fieldOf(context, 'mode') === 'read_only' ? 'read_only' : 'normal';
  const message = (fieldOf(context, 'message') ?? '').trim();
  if (message !== '' && !isOperatorText(message)) return showService(context, message);
  const mode = { kind, message: message === '' ? null : message } as const;
  await context.screen.administration.changeService(mode, context.cause);
  const done = kind === 'read_only' ? 'didMakeReadOnly' : 'didMakeNormal';
  return seeOther(context.base + PATH, { tone: 'good', message: done });
}

function healthCard(context: SignedInContext, { node, version, parts, clock }: NodeHealth): Html {
  const { messages } = context;
  const part = (state: keyof typeof PART_STATES) => {
    const [name, message] = PART_STATES[state];
    return html`<span class="state ${name}">${icon(name)}${messages.text(message)}</span>`;
  };
  const content = factList(context, [
    ['partDatabase', part(parts.database)],
    ['partStorage', part(parts.storage)],
    ['partStaging', part(parts.staging)],
    ['clockAhead', clock === null ? undefined : messages.seconds(clock)],
    ['node', html`<span dir="auto">${node}</span>`],
    ['version', version],
  ]);
  return card(context, 'health', content);
}
