import { type Name, parseRoleId, type RoleId } from '@pinfold/core';
import { type Html, html, loopTurns } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import { type OfferedNames, spellAsName } from '../name-spelling.ts';
import { idOf, pathOf, shownPublication, shownPublications } from '../publication.ts';
import { refuseAnyChange } from '../request/middleware.ts';
import { omitEmpty, pageRequest } from '../request/page-request.ts';
import { fieldOf, type SignedIn, type SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther, withLog } from '../response/answer.ts';
import { notFound } from '../response/refuse.ts';
import { disabledInReadOnly, fieldForm, form, hidden } from '../views/forms.ts';
import { cardPage, layout } from '../views/layout.ts';
import { nameField, namesMain } from '../views/names.ts';
import { card, copyButton } from '../views/parts.ts';

const MAX_SHOWN = 20;
/** How many of the newest publications the form for moving a name offers; the page of each one can set a name, too. */
const MAX_OFFERED = 100;
/** Names that are read for one page: an operator may allow any number of them. */
const MAX_READ = 1_000;
const BATCH = 100;

interface FoundNames {
  readonly names: readonly Name[];
  readonly areAll: boolean;
}

interface Move {
  readonly name: string;
  readonly pin: string;
  /** The page from which the person came. */
  readonly back: string;
  readonly done: 'didSetName' | 'didMoveName';
}

export async function showNames(context: SignedIn<'names'>): Promise<Answer> {
  const { screen, account, messages, base } = context;
  return await screen.pageTurns.run(account, context.signal, async () => {
    const listed = await screen.names.list({ by: account, ...pageRequest(context) });
    if (listed.kind === 'refused') return seeOther(`${base}/names`);
    const ids = listed.names.flatMap(({ pin, previous }) => (previous === null ? [pin] : [pin, previous]));
    const shown = await shownPublications(context, ids);
    const title = messages.text('names');
    return page(layout(context, { title, part: 'names', main: namesMain(context, listed, shown) }));
  });
}

/** Answers the account's names, for a field that suggests them, with the texts of the field's script. */
export async function offerNames(context: SignedIn<'names'>): Promise<Answer> {
  const { account, signal, screen, messages } = context;
  return await screen.pageTurns.run(account, signal, async () => {
    const { names } = await readNames(context, () => true, MAX_READ);
    // The script fills in the name.
    const name = '{name}';
    const texts = {
      offer: messages.text('nameOffer', { name }),
      moves: messages.text('nameMoves', { name }),
      isNew: messages.text('nameIsNew', { name }),
    };
    const body: OfferedNames = { names: names.map((one) => one.name), texts };
    return { kind: 'json', status: 200, body };
  });
}

/** Asks which publication a name should show. The script shows the section as a dialog. */
export async function askToMoveName(context: SignedIn<'names'>): Promise<Answer> {
  const { account: by, messages, base, request, screen } = context;
  const found = await screen.names.get({ by, name: String(request.params.name) });
  if (found.kind === 'refused') return notFound(context);
  const { name, pin } = found.name;
  const listed = await screen.useCases.list({ by, state: 'published', limit: MAX_OFFERED });
  const offered = listed.kind === 'page' ? listed.publications : [];
  const title = messages.text('moveNameTitle', { name });
  const options = offered.map((one) => {
    const { id, name: shown, publishedAt } = shownPublication(one, context);
    return html`<option value="${id}"${id === pin && html` selected`}>${shown} – ${messages.distance(publishedAt, context.now)}</option>`;
  });
  const content = html`<label for="shown">${messages.text('publication')}</label><select id="shown" name="pin">${options}</select>
<div class="buttons end"><a class="button" href="${base}/names" data-close>${messages.text('cancel')}</a><button class="primary"${disabledInReadOnly(context)}>${messages.text('setName')}</button></div>`;
  const main = html`<section class="card narrow" data-dialog-body>
<h1 id="dialog-title">${title}</h1>
${offered.length === 0 ? html`<p>${messages.text('noneFound')}</p>` : fieldForm(context, `${base}/names/${name}`, content)}
</section>`;
  return page(layout(context, { title, part: 'names', main }));
}

export async function moveName(context: SignedIn<'names'>): Promise<Answer> {
  const name = String(context.request.params.name);
  const pin = fieldOf(context, 'pin') ?? '';
  return await pointName(context, { name, pin, back: `${context.base}/names`, done: 'didMoveName' });
}

export async function setName(context: SignedIn<'names'>): Promise<Answer> {
  const pin = idOf(context);
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
  return page(cardPage(context, title, content, { part: 'names' }));
}

export async function deleteName(context: SignedIn<'names'>): Promise<Answer> {
  const { account: by, cause, credential, base, request, screen } = context;
  const name = String(request.params.name);
  const outcome = await screen.names.delete({ by, name, cause, credential });
  return outcome.kind === 'deleted'
    ? seeOther(`${base}/names`, { tone: 'good', message: 'didDeleteName', values: { name } })
    : refuseAnyChange(context, outcome);
}

export async function nameCard(context: SignedInContext, id: RoleId): Promise<Html> {
  const { messages, base } = context;
  const { names, areAll } = await namesShowing(context, id);
  const fields = nameField(context, 'name', {
    attributes: html`required`,
    button: html`<button${disabledInReadOnly(context)}>${messages.text('setName')}</button>`,
  });
  const content = html`${names.map(({ name, url }) => html`<p><a href="${url}" target="_blank" rel="noopener">${name}</a> ${copyButton(context, url, 'copyLink')}</p>`)}
${!areAll && html`<p><a href="${base}/names">${messages.text('names')}</a></p>`}
${fieldForm(context, `${base}/publications/${id}/name`, fields)}`;
  return card(context, 'nameHeading', content);
}

/** Finds the first names that show a publication, among the first thousand names of the account. */
export async function namesShowing(
  context: Pick<SignedInContext, 'account' | 'signal' | 'screen'>,
  id: RoleId,
): Promise<FoundNames> {
  const { names, areAll } = await readNames(context, ({ pin }) => pin === id, MAX_SHOWN + 1);
  return { names: names.slice(0, MAX_SHOWN), areAll: areAll && names.length <= MAX_SHOWN };
}

/** Reads the names that match, until `max` of them are found or a thousand names were read. */
async function readNames(
  { account: by, signal, screen }: Pick<SignedInContext, 'account' | 'signal' | 'screen'>,
  matches: (name: Name) => boolean,
  max: number,
): Promise<FoundNames> {
  const { names } = screen;
  const found: Name[] = [];
  let cursor: string | undefined;
  for (let read = 0; read < MAX_READ && found.length < max; read += BATCH) {
    const listed = await names?.list({ by, limit: BATCH, ...omitEmpty({ cursor }) });
    if (listed?.kind !== 'page') break;
    found.push(...listed.names.filter(matches));
    cursor = listed.next;
    if (cursor === undefined) break;
    await loopTurns.wait();
    signal.throwIfAborted();
  }
  return { names: found, areAll: cursor === undefined };
}
