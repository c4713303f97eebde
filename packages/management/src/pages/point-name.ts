import { parseRoleId } from '@pinfold/core';
import { html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import { spelledAsName } from '../name-spelling.ts';
import { refuseAnyChange } from '../request/middleware.ts';
import { fieldOf } from '../request/request-context.ts';
import { type Answer, logged, page, seeOther } from '../response/answer.ts';
import { disabledInReadOnly, form, hidden } from '../views/forms.ts';
import { layout } from '../views/layout.ts';
import type { NamingContext } from './names.ts';

interface Move {
  readonly name: string;
  readonly pin: string;
  /** Where the person came from. */
  readonly back: string;
  readonly done: 'didSetName' | 'didMoveName';
}

export async function moveName(visit: NamingContext): Promise<Answer> {
  const name = String(visit.request.params.name);
  const pin = fieldOf(visit, 'pin') ?? '';
  return await pointName(visit, { name, pin, back: `${visit.base}/names`, done: 'didMoveName' });
}

export async function setName(visit: NamingContext): Promise<Answer> {
  const pin = String(visit.request.params.id);
  const name = (fieldOf(visit, 'name') ?? '').trim();
  const back = `${visit.base}/publications/${pin}`;
  return await pointName(visit, { name, pin, back, done: 'didSetName' });
}

async function pointName(visit: NamingContext, move: Move): Promise<Answer> {
  const { account: by, cause, credential, screen } = visit;
  const { name, pin, back, done } = move;
  if (fieldOf(visit, 'open') !== 'yes' && (await dropsPassword(visit, move))) return askToOpen(visit, move);
  const outcome = await screen.names.set({ by, name, pin, cause, credential });
  if (outcome.kind !== 'refused') return seeOther(back, { tone: 'good', message: done, values: { name } });
  const trouble = (message: MessageId, values = {}): Answer =>
    logged(seeOther(back, { tone: 'bad', message, values }), { outcome: outcome.code });
  switch (outcome.code) {
    case 'invalid_name': {
      const offer = spelledAsName(name);
      return offer === '' ? trouble('invalid_name') : trouble('invalid_name_offer', { name: offer });
    }
    case 'quota_exceeded':
      return trouble('quota_names', { limit: outcome.limit });
    case 'invalid_state':
      return trouble(outcome.state === 'deleted' ? 'name_deleted' : 'name_expired');
    default:
      return refuseAnyChange(visit, outcome);
  }
}

/** Whether the name shows a publication with a password, and the other one is in service without one. */
async function dropsPassword(visit: NamingContext, { name, pin }: Move): Promise<boolean> {
  const { account: by, signal, screen } = visit;
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

function askToOpen(visit: NamingContext, { name, pin, back }: Move): Answer {
  const { words, request, base } = visit;
  const title = words.say('openNameTitle', { name });
  const action = `${base}${request.path}`;
  const fields = html`${hidden('name', name)}${hidden('pin', pin)}${hidden('open', 'yes')}<button class="danger"${disabledInReadOnly(visit)}>${words.say('setName')}</button>`;
  const main = html`<section class="card narrow">
<h1>${title}</h1>
<p>${words.say('removePasswordMeans')}</p>
<div class="buttons end"><a class="button" href="${back}">${words.say('cancel')}</a>
${form(visit, action, fields)}</div>
</section>`;
  return page(layout(visit, { title, signedIn: visit, part: 'names', main }));
}
