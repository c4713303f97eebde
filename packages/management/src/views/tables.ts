import type { RoleState } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import { present } from '../request/page-request.ts';
import type { RequestContext } from '../request/request-context.ts';
import { icon } from './icons.ts';

type Query = Readonly<Record<string, string | undefined>>;

/** A column: its heading, and what its cell shows of an item. The first one names the item. */
export type Column<Item> = readonly [
  label: MessageId,
  cell: (item: Item, index: number) => Html | string | null | undefined,
  details?: ColumnDetails,
];

export interface ColumnDetails {
  readonly sort?: ColumnSort | undefined;
  readonly figure?: string;
  /** The label of the cell on phones. Default: the heading; null: none. */
  readonly phoneLabel?: MessageId | null;
}

export interface ColumnSort {
  readonly href: string;
  readonly direction: 'ascending' | 'descending';
  readonly isCurrent: boolean;
}

export interface List<Item> {
  readonly items: readonly Item[];
  readonly columns: readonly Column<Item>[];
  /** The text of an empty list. Default: none. */
  readonly none?: MessageId;
  readonly path: string;
  readonly next: string | undefined;
  readonly query?: Query;
  readonly rowClass?: (item: Item) => string;
}

export const STATE_FILTERS: readonly (readonly [state: RoleState | undefined, message: MessageId])[] = [
  [undefined, 'filterAll'],
  ['published', 'statePublished'],
  ['expired', 'stateExpired'],
  ['deleted', 'stateStopped'],
];

/** Items as markup that is written when the page is, so that a long page pauses between two of them. */
export function each<Item>(
  items: readonly Item[],
  write: (item: Item, index: number) => Html,
): Iterable<Html> {
  return {
    *[Symbol.iterator]() {
      for (const [index, item] of items.entries()) yield write(item, index);
    },
  };
}

export function listOf<Item>(visit: RequestContext, list: List<Item>): Html {
  const { items, none, path, next, query } = list;
  const empty = none && html`<p class="none">${visit.words.say(none)}</p>`;
  return html`${items.length === 0 ? empty : rowsTable(visit, list)}
${pager(visit, path, next, query)}`;
}

/** A table that is a list of cards on a phone, where each cell shows its column's heading. */
export function rowsTable<Item>(
  { words }: RequestContext,
  { items, columns, rowClass }: Pick<List<Item>, 'items' | 'columns' | 'rowClass'>,
): Html {
  const heading = ([label, , { sort, figure } = {}]: Column<Item>) => {
    if (label === 'actions')
      return html`<th scope="col"><span class="hidden">${words.say(label)}</span></th>`;
    const sorted = sort?.isCurrent && html` aria-sort="${sort.direction}"`;
    const text = sort === undefined ? words.say(label) : html`<a href="${sort.href}">${words.say(label)}</a>`;
    return html`<th scope="col"${figure && html` class="figure"`}${sorted}>${text}</th>`;
  };
  const row = (item: Item, index: number) => {
    const cells = columns.map(([label, cell, { figure, phoneLabel = label } = {}], at) => {
      const content = cell(item, index);
      if (at === 0) return html`<th scope="row">${content}</th>`;
      if (label === 'actions') return html`<td class="actions">${content}</td>`;
      const shown = phoneLabel && html` data-label="${words.say(phoneLabel)}"`;
      return html`<td${figure && html` class="${figure}"`}${shown}>${content}</td>`;
    });
    const style = rowClass?.(item);
    return html`<tr${style && html` class="${style}"`}>
${cells}</tr>`;
  };
  return html`<table class="rows">
<thead><tr>${columns.map(heading)}</tr></thead>
<tbody>${each(items, row)}</tbody></table>`;
}

export function pager(
  { words, base, request }: RequestContext,
  path: string,
  next: string | undefined,
  query: Query = {},
  nextLabel: MessageId = 'nextPage',
): Html | undefined {
  const isFirst = request.query.cursor === undefined;
  if (isFirst && next === undefined) return undefined;
  const first = html`<a href="${base}${path}${queryOf(query)}">${words.say('firstPage')}</a>`;
  return html`<nav class="pages" aria-label="${words.say('pagesLabel')}">
${isFirst ? html`<span></span>` : first}
${next && html`<a rel="next" href="${base}${path}${queryOf({ ...query, cursor: next })}">${words.say(nextLabel)}</a>`}
</nav>`;
}

export function queryOf(parameters: Query): string {
  const query = new URLSearchParams(present(parameters) as Record<string, string>);
  return query.size === 0 ? '' : `?${query}`;
}

export function filters(
  { words }: RequestContext,
  label: MessageId,
  links: readonly (readonly [message: MessageId, href: string, isCurrent: boolean])[],
): Html {
  const link = ([message, href, isCurrent]: (typeof links)[number]) =>
    html`<a href="${href}"${isCurrent && html` aria-current="true"`}>${words.say(message)}</a>`;
  return html`<nav class="filters" aria-label="${words.say(label)}">${links.map(link)}</nav>`;
}

export function searchField({ words }: RequestContext, name: string, label: MessageId, value: string): Html {
  return html`<label class="hidden" for="${name}">${words.say(label)}</label>
<input id="${name}" name="${name}" type="search" value="${value}" placeholder="${words.say(label)}" dir="auto" maxlength="255">`;
}

export function searchButton({ words }: RequestContext, label: MessageId = 'search'): Html {
  return html`<button title="${words.say(label)}">${icon('search')}<span class="hidden">${words.say(label)}</span></button>`;
}

/** A list of facts; those without a value are left out. */
export function factList(
  { words }: RequestContext,
  facts: readonly (readonly [label: MessageId, value: Html | string | undefined])[],
): Html {
  const shown = facts.filter(([, value]) => value !== undefined);
  return html`<dl class="facts">${shown.map(
    ([label, value]) => html`
<div><dt>${words.say(label)}</dt><dd>${value}</dd></div>`,
  )}
</dl>`;
}
