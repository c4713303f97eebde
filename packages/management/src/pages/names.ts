import type { Name, RoleId, UseCases } from '@pinfold/core';
import { type Html, html, loopTurns } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import type { Screen } from '../options.ts';
import { refuseAnyChange } from '../request/middleware.ts';
import { pageRequest, present } from '../request/page-request.ts';
import { fieldOf, type SignedInContext } from '../request/request-context.ts';
import { type Answer, logged, page, seeOther } from '../response/answer.ts';
import { confirmation, disabledInReadOnly, field, fieldForm } from '../views/forms.ts';
import { layout } from '../views/layout.ts';
import { card, copyButton, distance, heading, shortId } from '../views/parts.ts';
import { listOf } from '../views/tables.ts';
import { titlesOf } from './history.ts';

const MOST_SHOWN = 20;
/** Names that are looked at for them: an operator may allow any number. */
const MOST_LOOKED_AT = 1_000;
const LOOKED_AT_ONCE = 100;

export type Naming = Screen & { readonly names: UseCases['names'] };
type NamingContext = SignedInContext & { readonly screen: Naming };

export interface ShowingNames {
  readonly names: readonly Name[];
  readonly areAll: boolean;
}

export async function showNames(visit: NamingContext): Promise<Answer> {
  const { screen, account, words, base } = visit;
  return await screen.pageTurns.run(account, visit.signal, async () => {
    const listed = await screen.names.list({ by: account, ...pageRequest(visit) });
    if (listed.kind === 'refused') return seeOther(`${base}/names`);
    const { names: items, next } = listed;
    const titles = await titlesOf(visit, new Set(items.map(({ pin }) => pin)));
    const disabled = disabledInReadOnly(visit);
    const remove = (name: string) => {
      const details = { values: { name }, disabled };
      return confirmation(visit, 'deleteName', `delete-${name}`, `${base}/names/${name}/delete`, details);
    };
    const title = words.say('names');
    const main = html`${heading(title, words.say('namesIntro'))}
${listOf(visit, {
  items,
  none: 'namesNone',
  path: '/names',
  next,
  columns: [
    [
      'name',
      ({ name, url }) => html`<a class="name" href="${url}" target="_blank" rel="noopener">${name}</a>`,
    ],
    [
      'publication',
      ({ pin }) =>
        html`<a class="clip" href="${base}/publications/${pin}" title="${pin}" dir="auto">${titles.get(pin) ?? shortId(pin)}</a>`,
    ],
    ['nameMoved', ({ updatedAt }) => distance(visit, updatedAt)],
    ['actions', ({ name, url }) => html`${copyButton(visit, url, 'copyLink')} ${remove(name)}`],
  ],
})}`;
    return page(layout(visit, { title, signedIn: visit, part: 'names', main }));
  });
}

export async function setName(visit: NamingContext): Promise<Answer> {
  const { account: by, cause, credential, base, request, screen } = visit;
  const pin = String(request.params.id);
  const name = (fieldOf(visit, 'name') ?? '').trim();
  const outcome = await screen.names.set({ by, name, pin, cause, credential });
  const back = `${base}/publications/${pin}`;
  if (outcome.kind !== 'refused')
    return seeOther(back, { tone: 'good', message: 'didSetName', values: { name } });
  const trouble = (message: MessageId, values = {}): Answer =>
    logged(seeOther(back, { tone: 'bad', message, values }), { outcome: outcome.code });
  switch (outcome.code) {
    case 'invalid_name':
      return trouble('nameOdd');
    case 'quota_exceeded':
      return trouble('namesFull', { limit: outcome.limit });
    case 'invalid_state':
      return trouble(outcome.state === 'deleted' ? 'alreadyStopped' : 'alreadyExpired');
    default:
      return refuseAnyChange(visit, outcome);
  }
}

export async function deleteName(visit: NamingContext): Promise<Answer> {
  const { account: by, cause, credential, base, request, screen } = visit;
  const name = String(request.params.name);
  const outcome = await screen.names.delete({ by, name, cause, credential });
  return outcome.kind === 'deleted'
    ? seeOther(`${base}/names`, { tone: 'good', message: 'didDeleteName', values: { name } })
    : refuseAnyChange(visit, outcome);
}

export async function nameCard(visit: SignedInContext, id: RoleId): Promise<Html> {
  const { words, base } = visit;
  const { names, areAll } = await namesShowing(visit, id);
  const fields = field(visit, 'name', 'name', {
    hint: words.say('nameHint'),
    hidesLabel: true,
    attributes: html`required maxlength="63" pattern="[a-z0-9]([a-z0-9\\-]*[a-z0-9])?" autocomplete="off" autocapitalize="none" spellcheck="false"`,
    button: html`<button${disabledInReadOnly(visit)}>${words.say('setName')}</button>`,
  });
  const content = html`${names.map(({ name, url }) => html`<p><a href="${url}" target="_blank" rel="noopener">${name}</a> ${copyButton(visit, url, 'copyLink')}</p>`)}
${!areAll && html`<p><a href="${base}/names">${words.say('names')}</a></p>`}
${fieldForm(visit, `${base}/publications/${id}/name`, fields)}`;
  return card(visit, 'nameHeading', content);
}

/** The names that show a publication: the first ones, among as many names as an account usually has. */
export async function namesShowing(
  { account: by, signal, screen }: Pick<SignedInContext, 'account' | 'signal' | 'screen'>,
  id: RoleId,
): Promise<ShowingNames> {
  const { names } = screen.useCases;
  const showing: Name[] = [];
  let cursor: string | undefined;
  for (let looked = 0; looked < MOST_LOOKED_AT && showing.length <= MOST_SHOWN; looked += LOOKED_AT_ONCE) {
    const listed = await names?.list({ by, limit: LOOKED_AT_ONCE, ...present({ cursor }) });
    if (listed?.kind !== 'page') break;
    showing.push(...listed.names.filter(({ pin }) => pin === id));
    cursor = listed.next;
    if (cursor === undefined) break;
    await loopTurns.wait();
    signal.throwIfAborted();
  }
  const areAll = cursor === undefined && showing.length <= MOST_SHOWN;
  return { names: showing.slice(0, MOST_SHOWN), areAll };
}
