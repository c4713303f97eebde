import { parseRoleId } from '@pinfold/core';
import { html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import { spellAsName } from '../name-spelling.ts';
import { refuseAnyChange } from '../request/middleware.ts';
import { fieldOf, type SignedIn } from '../request/request-context.ts';
import { type Answer, page, seeOther, withLog } from '../response/answer.ts';
import { notFound } from '../response/refuse.ts';
import { disabledInReadOnly, form, hidden } from '../views/forms.ts';
import { cardPage } from '../views/layout.ts';
import { pathOf } from './publication.ts';

interface Move {
  readonly name: string;
  readonly pin: string;
  /** The page from which the person came. */
  readonly back: string;
  readonly done: 'didSetName' | 'didMoveName';
}

export async function moveName(context: SignedIn<'names'>): Promise<Answer> {
  const name = String(context.request.params.name);
  const pin = fieldOf(context, 'pin') ?? '';
  return await pointName(context, { name, pin, back: `${context.base}/names`, done: 'didMoveName' });
}

export async function setName(context: SignedIn<'names'>): Promise<Answer> {
  const pin = parseRoleId(String(context.request.params.id));
  if (pin === undefined) return notFound(context);
  const name = (fieldOf(context, 'name') ?? '').trim();
  const back = pathOf(context, pin);
  return await pointName(context, { name, pin, back, done: 'didSetName' });
}

async function pointName(context: SignedIn<'names'>, move: Move): Promise<Answer> {
  const { account: by, cause, credential, screen } = context;
  const { name, pin, back, done } = move;
  if (fieldOf(context, 'open') !== 'yes' && (await dropsPassword(context, move)))
    return confirmDroppedPassword(context, move);
  const outcome = await screen.names.set({ by, name, pin, cause, credential });
  if (outcome.kind !== 'refused') return seeOther(back, { tone: 'good', message: done, values: { name } });
  const formError = (message: MessageId, values = {}): Answer =>
    withLog(seeOther(back, { tone: 'bad', message, values }), { outcome: outcome.code });
  switch (outcome.code) {
    case 'invalid_name': {
      const offer = spellAsName(name);
      return offer === '' ? formError('invalid_name') : formError('invalid_name_offer', { name: offer });
    }
    case 'quota_exceeded':
      return formError('quota_names', { limit: outcome.limit });
    case 'invalid_state':
      return formError(outcome.state === 'deleted' ? 'name_deleted' : 'name_expired');
    default:
      return refuseAnyChange(context, outcome);
  }
}

/** Whether the name shows a publication with a password, and would show a published one without. */
async function dropsPassword(context: SignedIn<'names'>, { name, pin }: Move): Promise<boolean> {
  const { account: by, signal, screen } = context;
  const id = parseRoleId(pin);
  const found = await screen.names.get({ by, name });
  if (id === undefined || found.kind === 'refused') return false;
  const [shown, next] = await Promise.all(
    [found.name.pin, id].map((one) => screen.useCases.read({ by, id: one, signal })),
  );
  return (
    shown?.kind === 'found' &&
    next?.kind === 'found' &&
    shown.publication.passwordProtected &&
    !next.publication.passwordProtected &&
    next.publication.state === 'published'
  );
}

function confirmDroppedPassword(context: SignedIn<'names'>, { name, pin, back }: Move): Answer {
  const { messages, request, base } = context;
  const title = messages.text('openNameTitle', { name });
  const action = `${base}${request.path}`;
  const fields = html`${hidden('name', name)}${hidden('pin', pin)}${hidden('open', 'yes')}<button class="danger"${disabledInReadOnly(context)}>${messages.text('setName')}</button>`;
  const content = html`<p>${messages.text('removePasswordMeans')}</p>
<div class="buttons end"><a class="button" href="${back}">${messages.text('cancel')}</a>
${form(context, action, fields)}</div>`;
  return page(cardPage(context, title, content, { signedIn: context, part: 'names' }));
}
