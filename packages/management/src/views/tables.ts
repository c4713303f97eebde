import type { RoleState } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import { type PagePosition, present } from '../request/page-request.ts';
import type { RequestContext } from '../request/request-context.ts';
import { icon } from './icons.ts';

/** A column by its heading alone, or with more: whether it has figures, and how the list is sorted by it. */
export type Column =
  | MessageId
  | { readonly label: MessageId; readonly isFigure?: boolean; readonly sort?: ColumnSort | undefined };

/** A link that sorts a list by a column, and whether it is so sorted. */
export interface ColumnSort {
  readonly href: string;
  readonly direction: 'ascending' | 'descending';
  readonly isCurrent: boolean;
}

/** The states by which lists of publications are filtered. */
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

/** A table that is a list of cards on a phone, where each cell shows its column's heading. */
export function rowsTable<Item>(
  { words }: RequestContext,
  columns: readonly Column[],
  items: readonly Item[],
  row: (item: Item, index: number) => Html,
): Html {
  const heading = (column: Column) => {
    if (column === 'actions')
      return html`<th scope="col"><span class="hidden">${words.say('actions')}</span></th>`;
    if (typeof column === 'string') return html`<th scope="col">${words.say(column)}</th>`;
    const { label, isFigure = false, sort } = column;
    const sorted = sort?.isCurrent ? html` aria-sort="${sort.direction}"` : undefined;
    const text = sort === undefined ? words.say(label) : html`<a href="${sort.href}">${words.say(label)}</a>`;
    return html`<th scope="col"${isFigure ? html` class="figure"` : undefined}${sorted}>${text}</th>`;
  };
  return html`<table class="rows">
<thead><tr>${columns.map(heading)}</tr></thead>
<tbody>${each(items, row)}</tbody></table>`;
}

/** A cell of {@link rowsTable}; an empty one does not show on a phone. */
export function cell(
  { words }: RequestContext,
  label: MessageId,
  content: Html | string | null | undefined,
): Html {
  return html`<td data-label="${words.say(label)}">${content}</td>`;
}

/** Absent ones are those of any list. */
export interface PagerLabels {
  readonly first?: MessageId;
  readonly next?: MessageId;
}

/** Links to the first and the next page of a list. */
export function pager(
  { words, base }: RequestContext,
  path: string,
  { further, next }: PagePosition,
  query: Readonly<Record<string, string | undefined>> = {},
  labels: PagerLabels = {},
): Html {
  if (!further && next === undefined) return html``;
  const first = html`<a href="${base}${path}${queryOf(query)}">${words.say(labels.first ?? 'firstPage')}</a>`;
  return html`<nav class="pages" aria-label="${words.say('pagesLabel')}">
${further ? first : html`<span></span>`}
${next === undefined ? undefined : html`<a rel="next" href="${base}${path}${queryOf({ ...query, cursor: next })}">${words.say(labels.next ?? 'nextPage')}</a>`}
</nav>`;
}

/** The query of a page; empty if no parameter has a value. */
export function queryOf(parameters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams(present(parameters) as Record<string, string>);
  return query.size === 0 ? '' : `?${query}`;
}

/** A field to search by, whose label only screen readers show. */
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
