import type { RoleState } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import { omitEmpty } from '../request/page-request.ts';
import type { RequestContext } from '../request/request-context.ts';
import { icon } from './parts.ts';

type Query = Readonly<Record<string, string | undefined>>;

/** A column: its heading, and a function that writes the cell of an item. The first column names the item. */
export type Column<Item> = readonly [
  label: MessageId,
  cell: (item: Item, index: number) => Html | string | null | undefined,
  details?: ColumnDetails,
];

interface ColumnDetails {
  readonly sort?: ColumnSort | undefined;
  readonly numberClass?: string;
  /** The cell's label on phones. Default: the heading; null: none. */
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

/** Yields the markup of items lazily, so that `writePage` can pause between two of them. */
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

export function listOf<Item>(context: RequestContext, list: List<Item>): Html {
  const { items, none, path, next, query } = list;
  const empty = none && html`<p class="none">${context.messages.text(none)}</p>`;
  return html`${items.length === 0 ? empty : rowsTable(context, list)}
${pager(context, path, next, query)}`;
}

/** A table that phones show as a list of cards, where each cell has its column's heading as a label. */
export function rowsTable<Item>(
  { messages }: RequestContext,
  { items, columns, rowClass }: Pick<List<Item>, 'items' | 'columns' | 'rowClass'>,
): Html {
  const heading = ([label, , { sort, numberClass } = {}]: Column<Item>) => {
    if (label === 'actions')
      return html`<th scope="col"><span class="hidden">${messages.text(label)}</span></th>`;
    const sorted = sort?.isCurrent && html` aria-sort="${sort.direction}"`;
    const text =
      sort === undefined ? messages.text(label) : html`<a href="${sort.href}">${messages.text(label)}</a>`;
    return html`<th scope="col"${numberClass && html` class="number"`}${sorted}>${text}</th>`;
  };
  const row = (item: Item, index: number) => {
    const cells = columns.map(([label, cell, { numberClass, phoneLabel = label } = {}], at) => {
      const content = cell(item, index);
      if (at === 0) return html`<th scope="row">${content}</th>`;
      if (label === 'actions') return html`<td class="actions">${content}</td>`;
      const shown = phoneLabel && html` data-label="${messages.text(phoneLabel)}"`;
      return html`<td${numberClass && html` class="${numberClass}"`}${shown}>${content}</td>`;
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
  { messages, base, query: requested }: RequestContext,
  path: string,
  next: string | undefined,
  query: Query = {},
  nextLabel: MessageId = 'nextPage',
): Html | undefined {
  const isFirst = requested.cursor === undefined;
  if (isFirst && next === undefined) return undefined;
  const first = html`<a href="${base}${path}${queryOf(query)}">${messages.text('firstPage')}</a>`;
  return html`<nav class="pages" aria-label="${messages.text('pagesLabel')}">
${isFirst ? html`<span></span>` : first}
${next && html`<a rel="next" href="${base}${path}${queryOf({ ...query, cursor: next })}">${messages.text(nextLabel)}</a>`}
</nav>`;
}

export function queryOf(parameters: Query): string {
  const query = new URLSearchParams(omitEmpty(parameters) as Record<string, string>);
  return query.size === 0 ? '' : `?${query}`;
}

export function filters(
  { messages }: RequestContext,
  label: MessageId,
  links: readonly (readonly [message: MessageId, href: string, isCurrent: boolean])[],
): Html {
  const link = ([message, href, isCurrent]: (typeof links)[number]) =>
    html`<a href="${href}"${isCurrent && html` aria-current="true"`}>${messages.text(message)}</a>`;
  return html`<nav class="filters" aria-label="${messages.text(label)}">${links.map(link)}</nav>`;
}

export function searchField(
  { messages }: RequestContext,
  name: string,
  label: MessageId,
  value: string,
): Html {
  return html`<label class="hidden" for="${name}">${messages.text(label)}</label>
<input id="${name}" name="${name}" type="search" value="${value}" placeholder="${messages.text(label)}" dir="auto" maxlength="255">`;
}

export function searchButton({ messages }: RequestContext, label: MessageId = 'search'): Html {
  return html`<button title="${messages.text(label)}">${icon('search')}<span class="hidden">${messages.text(label)}</span></button>`;
}

/** A list of facts, without those that have no value. */
export function factList(
  { messages }: RequestContext,
  facts: readonly (readonly [label: MessageId, value: Html | string | undefined])[],
): Html {
  const shown = facts.filter(([, value]) => value !== undefined);
  return html`<dl class="facts">${shown.map(
    ([label, value]) => html`
<div><dt>${messages.text(label)}</dt><dd>${value}</dd></div>`,
  )}
</dl>`;
}
