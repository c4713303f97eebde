import { instant } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal/html';
import { remarkList } from '../../src/problem-lists.ts';
import type { Speech } from './browser-i18n.ts';
import type { LatePublication } from './cancelled.ts';
import { elementOf } from './elements.ts';
import type { Source } from './source.ts';
import type { Published } from './upload.ts';

const NAMED = 5;

/** What a publication that was just made shows: its link, who can open it, and what to check. */
export function publishedContent(
  words: Speech,
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
  return html`${name ? namedRows(words, published, name) : linkRow(words, published.sharedUrl)}
<img class="code" src="${page}/code.svg${name ? `?name=${name.name}` : ''}" alt="${words.say('linkCode')}" width="128" height="128">
${copied ? html`<p>${words.say('linkCopied')}</p>` : undefined}
${untilLine(words, published)}
${leftOutLine(words, 'leftOut', source.leftOut)}
${remarks.length === 0 ? undefined : html`<div class="remarks"><p>${words.say('remarks')}</p>${remarkList(words, remarks)}${lacksFiles && html`<p>${words.say('page_alone')}</p>`}</div>`}`;
}

/** What was published before it was cancelled: anyone with the link can open it until it is stopped. */
export function lateContent(words: Speech, published: LatePublication, name: string): Html {
  const moved = name !== '' && html`<p>${words.say('lateNamed', { name })}</p>`;
  return html`${linkRow(words, published.sharedUrl)}${untilLine(words, published)}${moved}`;
}

export function stopForm(words: Speech, page: string, token: string): HTMLElement {
  return elementOf(
    html`<form method="post" action="${page}/stop"><input type="hidden" name="form" value="${token}"><button class="danger">${words.say('stop')}</button></form>`,
  );
}

/** The button that leads to the form for a password; a protected site needs none. */
export function protectLink(
  words: Speech,
  page: string,
  { passwordProtected }: Published,
): HTMLElement | undefined {
  return passwordProtected ? undefined : linkTo(`${page}#new-password`, words.more('protect'));
}

export function linkTo(page: string, text: string): HTMLElement {
  return elementOf(html`<a class="button" href="${page}">${text}</a>`);
}

/** A sentence about what is or would be left out; nothing when that is nothing. */
export function leftOutLine(
  words: Speech,
  message: 'leftOut' | 'wouldLeaveOut',
  names: readonly string[],
): Html | undefined {
  if (names.length === 0) return undefined;
  const more = names.length - NAMED;
  const first = names.slice(0, NAMED).join(', ');
  const all = more > 0 ? `${first} ${words.say('andMore', { count: more })}` : first;
  return html`<p class="quiet" dir="auto">${words.say(message, { names: all })}</p>`;
}

function namedRows(
  words: Speech,
  { sharedUrl }: Published,
  { name, url }: NonNullable<Published['name']>,
): Html {
  return html`${linkRow(words, url)}<p>${words.say('shownAt', { name })}</p>
<p class="quiet">${words.say('ownLink')} <a href="${sharedUrl}" target="_blank" rel="noopener">${sharedUrl}</a></p>`;
}

function linkRow(words: Speech, url: string): Html {
  return html`<div class="url-row"><a class="url" href="${url}" target="_blank" rel="noopener">${url}</a><button type="button" class="copy primary" data-copy="${url}"><span>${words.say('copyLink')}</span></button></div>`;
}

function untilLine(
  words: Speech,
  { expiresAt, passwordProtected }: Pick<Published, 'expiresAt' | 'passwordProtected'>,
): Html | undefined {
  if (expiresAt === null) return undefined;
  const said = passwordProtected ? 'publishedUntilProtected' : 'publishedUntil';
  return html`<p>${words.say(said, { moment: words.moment(instant(expiresAt)) })}</p>`;
}
