import { type Html, html } from '@pinfold/http/internal/html';
import { remarkList } from '../../src/problem-lists.ts';
import { pageOf } from '../dialogs.ts';
import type { BrowserMessages } from './browser-i18n.ts';
import type { LatePublication } from './cancelled.ts';
import { elementOf } from './elements.ts';
import type { Source } from './source.ts';
import type { Published } from './upload.ts';

const NAMED = 5;

/** What a publication that was just made shows: its link, who can open it, and what to check. */
export function publishedContent(
  messages: BrowserMessages,
  published: Published,
  page: string,
  { copied, source }: { readonly copied: boolean; readonly source: Source },
): Html {
  const { name } = published;
  const alone = source.kind === 'folder' && source.isPage ? source.files[0]?.file.name : undefined;
  // A person knows a single page by the name of its file.
  const remarks = published.remarks.map((one) =>
    alone !== undefined && 'path' in one ? { ...one, path: alone } : one,
  );
  const lacksFiles = alone !== undefined && remarks.some(({ rule }) => rule === 'broken_reference');
  return html`${name ? namedRows(messages, published, name) : linkRow(messages, published.sharedUrl)}
<img class="code" src="${page}/code.svg${name ? `?name=${name.name}` : ''}" alt="${messages.text('linkCode')}" width="128" height="128">
${copied ? html`<p>${messages.text('linkCopied')}</p>` : undefined}
${untilLine(messages, published)}
${leftOutLine(messages, 'leftOut', source.leftOut)}
${remarks.length === 0 ? undefined : html`<div class="remarks"><p>${messages.text('remarks')}</p>${remarkList(messages, remarks)}${lacksFiles && html`<p>${messages.text('page_alone')}</p>`}</div>`}`;
}

/** What was published before it was cancelled: anyone with the link can open it until it is stopped. */
export function lateContent(messages: BrowserMessages, published: LatePublication, name: string): Html {
  const moved = name !== '' && html`<p>${messages.text('lateNamed', { name })}</p>`;
  return html`${linkRow(messages, published.sharedUrl)}${untilLine(messages, published)}${moved}`;
}

export function stopForm(messages: BrowserMessages, page: string, token: string): HTMLElement {
  return elementOf(
    html`<form method="post" action="${page}/stop"><input type="hidden" name="form" value="${token}"><button class="danger">${messages.text('stop')}</button></form>`,
  );
}

/** The button that leads to the form for a password; a protected site needs none. */
export function protectLink(
  messages: BrowserMessages,
  page: string,
  { passwordProtected }: Published,
): HTMLElement | undefined {
  return passwordProtected ? undefined : linkTo(`${page}#new-password`, messages.more('protect'));
}

export function linkTo(page: string, text: string): HTMLElement {
  return elementOf(html`<a class="button" href="${page}">${text}</a>`);
}

/** A sentence about what is or would be left out; nothing when that is nothing. */
export function leftOutLine(
  messages: BrowserMessages,
  message: 'leftOut' | 'wouldLeaveOut',
  names: readonly string[],
): Html | undefined {
  if (names.length === 0) return undefined;
  const more = names.length - NAMED;
  const first = names.slice(0, NAMED).join(', ');
  const all = more > 0 ? `${first} ${messages.text('andMore', { count: more })}` : first;
  return html`<p class="quiet" dir="auto">${messages.text(message, { names: all })}</p>`;
}

function namedRows(
  messages: BrowserMessages,
  { sharedUrl }: Published,
  { name, url }: NonNullable<Published['name']>,
): Html {
  return html`${linkRow(messages, url)}<p>${messages.text('shownAt', { name })}</p>
<p class="quiet">${messages.text('ownLink')} <a href="${sharedUrl}" target="_blank" rel="noopener">${sharedUrl}</a></p>`;
}

function linkRow(messages: BrowserMessages, url: string): Html {
  return html`<div class="url-row"><a class="url" href="${url}" target="_blank" rel="noopener">${url}</a><button type="button" class="copy primary" data-copy="${url}"><span>${messages.text('copyLink')}</span></button></div>`;
}

function untilLine(
  messages: BrowserMessages,
  { expiresAt, passwordProtected }: Pick<Published, 'expiresAt' | 'passwordProtected'>,
): Html | undefined {
  if (expiresAt === null) return undefined;
  const messageId = passwordProtected ? 'publishedUntilProtected' : 'publishedUntil';
  return html`<p>${messages.text(messageId, { moment: messages.moment(expiresAt) })}</p>`;
}

/** Shows the newest list under the panel; one that cannot be had now stays as it is. */
export async function refreshList(): Promise<void> {
  const old = document.querySelector('[data-list]');
  const fresh = (await pageOf(location.href))?.querySelector('[data-list]');
  if (old === null || fresh === null || fresh === undefined) return;
  old.replaceWith(fresh);
  document.querySelector('[data-publish]')?.classList.remove('roomy');
}
