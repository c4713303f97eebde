import type { Manifest } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import type { ShownPublication } from '../publication.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { card } from './parts.ts';
import { each } from './tables.ts';

const MAX_UNFOLDED = 20;
const FILES_PER_PAGE = 200;

/** Lists a page of the site's files with their sizes; the first page unless `wanted` is the number of a page. */
export function filesCard(
  context: SignedInContext,
  publication: ShownPublication,
  manifest: Manifest | undefined,
  wanted: number,
): Html {
  const { messages } = context;
  if (manifest === undefined)
    return card(context, 'files', html`<p class="quiet">${messages.text('filesGone')}</p>`);
  const { entries } = manifest;
  const pages = Math.ceil(entries.length / FILES_PER_PAGE);
  const isPage = Number.isInteger(wanted) && wanted >= 1 && wanted <= pages;
  const page = isPage ? wanted : 1;
  const begin = (page - 1) * FILES_PER_PAGE;
  const shown = entries.slice(begin, begin + FILES_PER_PAGE);
  const heads = html`<thead><tr><th scope="col">${messages.text('file')}</th><th scope="col" class="number">${messages.text('fileSize')}</th></tr></thead>`;
  const rows = each(
    shown,
    ({ path, size }) =>
      html`<tr><td class="path" dir="auto">${path}</td><td class="number">${messages.size(size)}</td></tr>`,
  );
  const table = html`<table class="files">${heads}<tbody>${rows}</tbody></table>`;
  if (entries.length <= MAX_UNFOLDED) return card(context, 'files', table);
  const summary =
    pages === 1
      ? messages.text('showFiles', { count: entries.length })
      : messages.text('filesShown', { first: begin + 1, last: begin + shown.length, count: entries.length });
  const content = html`<details${isPage ? html` open` : undefined}><summary>${summary}</summary>${table}
${pages === 1 ? undefined : pageLinks(context, publication, page, pages)}</details>`;
  return card(context, 'files', content);
}

function pageLinks(
  { messages, base }: SignedInContext,
  { id }: ShownPublication,
  page: number,
  pages: number,
): Html {
  const link = (to: number, relation: 'prev' | 'next', message: MessageId) =>
    html`<a rel="${relation}" href="${base}/publications/${id}?files=${to}#files">${messages.text(message)}</a>`;
  return html`<nav class="pages" aria-label="${messages.text('pagesLabel')}">
${page > 1 ? link(page - 1, 'prev', 'previousPage') : html`<span></span>`}
${page < pages ? link(page + 1, 'next', 'nextPage') : undefined}
</nav>`;
}
