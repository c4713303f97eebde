import type { Name } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal';
import type { PagePosition } from '../request/page-request.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { layout } from './layout.ts';
import { card, confirmation, copyButton, disabledInReadOnly, distance, shortId } from './parts.ts';
import { cell, pager, rowsTable } from './tables.ts';

export interface NamesModel {
  readonly names: readonly Name[];
  /** The titles of the publications, by id. */
  readonly titles: ReadonlyMap<string, string>;
  readonly position: PagePosition;
}

export function namesView(visit: SignedInContext, { names, titles, position }: NamesModel): Html {
  const { words } = visit;
  const columns = ['name', 'publication', 'nameMoved', 'actions'] as const;
  const table = rowsTable(visit, columns, names, (name) => row(visit, name, titles));
  return layout(visit, {
    title: words.say('names'),
    signedIn: visit,
    part: 'names',
    main: html`<div class="head"><h1>${words.say('names')}</h1><p class="quiet">${words.say('namesIntro')}</p></div>
${names.length === 0 ? html`<p class="none">${words.say('namesNone')}</p>` : table}
${pager(visit, '/names', position)}`,
  });
}

function row(
  visit: SignedInContext,
  { name, url, pin, updatedAt }: Name,
  titles: NamesModel['titles'],
): Html {
  const { base } = visit;
  const [id, action] = [`delete-${name}`, `${base}/names/${name}/delete`];
  const disabled = disabledInReadOnly(visit);
  const remove = confirmation(visit, 'deleteName', id, action, { values: { name }, disabled });
  return html`<tr><th scope="row"><a class="name" href="${url}" target="_blank" rel="noopener">${name}</a></th>
${cell(visit, 'publication', html`<a class="clip" href="${base}/publications/${pin}" title="${pin}" dir="auto">${titles.get(pin) ?? shortId(pin)}</a>`)}
${cell(visit, 'nameMoved', distance(visit, updatedAt))}
<td class="actions">${copyButton(visit, url, 'copyLink')} ${remove}</td></tr>`;
}

export interface ShowingNames {
  readonly names: readonly Name[];
  readonly areAll: boolean;
}

/** The names that show this publication, and the form that lets another one do so. */
export function nameCard(visit: SignedInContext, id: string, { names, areAll }: ShowingNames): Html {
  const { words, base, formToken } = visit;
  const content = html`${names.map(({ name, url }) => html`<p><a href="${url}" target="_blank" rel="noopener">${name}</a> ${copyButton(visit, url, 'copyLink')}</p>`)}
${areAll ? undefined : html`<p><a href="${base}/names">${words.say('names')}</a></p>`}
<form method="post" action="${base}/publications/${id}/name" class="field-form"><input type="hidden" name="form" value="${formToken}">
<div class="field"><label class="hidden" for="name">${words.say('name')}</label>
<div class="with-button"><input id="name" name="name" required maxlength="63" pattern="[a-z0-9]([a-z0-9\\-]*[a-z0-9])?" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="name-hint"><button${disabledInReadOnly(visit)}>${words.say('setName')}</button></div>
<p class="quiet hint" id="name-hint">${words.say('nameHint')}</p></div></form>`;
  return card(visit, 'nameHeading', content);
}
