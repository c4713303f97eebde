import { type Html, html } from '@pinfold/http/internal/html';
import { warningList } from '../../src/problem-lists.ts';
import { fetchPage } from '../dialogs.ts';
import type { BrowserMessages } from './browser-i18n.ts';
import type { LatePublication } from './cancelled.ts';
import { elementOf } from './elements.ts';
import type { Source } from './source.ts';
import type { Published } from './upload.ts';

const MAX_NAMES = 5;

/** Shows a new publication: its link, how long it lives, and what to check. */
export function publishedContent(
  messages: BrowserMessages,
  published: Published,
  page: string,
  { copied, source }: { readonly copied: boolean; readonly source: Source },
): Html {
  const { name } = published;
  const pageName = source.kind === 'folder' && source.isPage ? source.files[0]?.file.name : undefined;
  // The index.html of a single page has another name on the person's disk.
  const warnings = published.warnings.map((one) =>
    pageName !== undefined && 'path' in one ? { ...one, path: pageName } : one,
  );
  const lacksFiles = pageName !== undefined && warnings.some(({ rule }) => rule === 'broken_reference');
  return html`${name ? namedRows(messages, published, name) : linkRow(messages, published.sharedUrl)}
<img class="code" src="${page}/code.svg${name ? `?name=${name.name}` : ''}" alt="${messages.text('linkCode')}" width="128" height="128">
${copied ? html`<p>${messages.text('linkCopied')}</p>` : undefined}
${untilLine(messages, published)}
${leftOutLine(messages, 'leftOut', source.leftOut)}
${warnings.length === 0 ? undefined : html`<div class="warnings"><p>${messages.text('warnings')}</p>${warningList(messages, warnings)}${lacksFiles && html`<p>${messages.text('page_alone')}</p>`}</div>`}`;
}

/** Shows a publication that was complete before it was cancelled: anyone with the link can open it until it is stopped. */
export function lateContent(messages: BrowserMessages, published: LatePublication, name: string): Html {
  const nameNote = name !== '' && html`<p>${messages.text('lateNamed', { name })}</p>`;
  return html`${linkRow(messages, published.sharedUrl)}${untilLine(messages, published)}${nameNote}`;
}

export function stopForm(messages: BrowserMessages, page: string, token: string): HTMLElement {
  return elementOf(
    html`<form method="post" action="${page}/stop"><input type="hidden" name="form" value="${token}"><button class="danger">${messages.text('stop')}</button></form>`,
  );
}

/** The link to the form for a password; `undefined` if the site has one. */
export function protectLink(
  messages: BrowserMessages,
  page: string,
  { passwordProtected }: Published,
): HTMLElement | undefined {
  return passwordProtected ? undefined : linkTo(`${page}#new-password`, messages.dialogLabel('protect'));
}

export function linkTo(page: string, text: string): HTMLElement {
  return elementOf(html`<a class="button" href="${page}">${text}</a>`);
}

/** A sentence about files that are or would be left out; `undefined` if there are none. */
export function leftOutLine(
  messages: BrowserMessages,
  message: 'leftOut' | 'wouldLeaveOut',
  names: readonly string[],
): Html | undefined {
  if (names.length === 0) return undefined;
  const more = names.length - MAX_NAMES;
  const first = names.slice(0, MAX_NAMES).join(', ');
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

/** Reloads the list under the panel; it stays as it is if the server does not answer. */
export async function refreshList(): Promise<void> {
  const old = document.querySelector('[data-list]');
  const fresh = (await fetchPage(location.href))?.querySelector('[data-list]');
  if (old === null || fresh === null || fresh === undefined) return;
  old.replaceWith(fresh);
  document.querySelector('[data-publish]')?.classList.remove('roomy');
}
