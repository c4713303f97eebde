import type { DayOfViews, Limits, Manifest } from '@pinfold/core';
import { dayOf } from '@pinfold/core/internal';
import { type Html, html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import type { RefusedBecause, ShownPublication } from '../publication.ts';
import type { SignedInContext } from '../request/request-context.ts';
import {
  buttonForm,
  confirmation,
  disabledInReadOnly,
  field,
  fieldForm,
  form,
  hidden,
  stopLink,
} from './forms.ts';
import { card, copyButton, distance, moment, shortId } from './parts.ts';
import { each, factList } from './tables.ts';

const MAX_UNFOLDED = 20;
const FILES_PER_PAGE = 200;

const SHOWN_DAYS = 7;
const CHART_DAYS = 30;
const CHART_HEIGHT = 64;
const BAR_WIDTH = 10;

export const NO_RENEWAL: Readonly<Record<RefusedBecause, MessageId>> = {
  archive_removed: 'state_archive_removed',
  deleted: 'state_deleted',
  expired: 'state_expired_renewal',
  pinned: 'state_pinned',
};

export interface FieldError {
  readonly field: 'title' | 'new-password';
  readonly message: string;
  /** The entered value, to be shown again; never a password. */
  readonly value?: string;
}

export function linkCard(context: SignedInContext, publication: ShownPublication): Html {
  const { messages } = context;
  const { sharedUrl, state, passwordProtected: locked } = publication;
  if (state !== 'published') {
    const explanation = messages.text(state === 'expired' ? 'linkExpired' : 'linkStopped');
    const content = html`<p class="url quiet"><s>${sharedUrl}</s></p><p>${explanation}</p>`;
    return card(context, 'sharedUrl', content);
  }
  const path = `${context.base}/publications/${publication.id}`;
  const opener =
    locked && context.screen.createGrant
      ? form(
          context,
          `${path}/open`,
          html`<button>${messages.text('openSite')}</button>`,
          html` target="_blank"`,
        )
      : html`<a class="button" href="${sharedUrl}" target="_blank" rel="noopener">${messages.text('openSite')}</a>`;
  const content = html`<div class="url-row"><a class="url" href="${sharedUrl}" target="_blank" rel="noopener">${sharedUrl}</a>${copyButton(context, sharedUrl, 'copyLink')}${opener}</div>
<div class="link-more"><img class="code" src="${path}/code.svg" alt="${messages.text('linkCode')}" width="128" height="128">
<dl class="brief"><div><dt>${messages.text('whoCanOpen')}</dt><dd>${messages.text(locked ? 'openToPassword' : 'openToAnyone')}</dd></div></dl></div>`;
  return card(context, 'sharedUrl', content);
}

export function lifetimeCard(context: SignedInContext, publication: ShownPublication, limits: Limits): Html {
  const { messages, base } = context;
  const { id, state, pinned, expiresAt } = publication;
  const canPin = publication.refusal('pin') === undefined;
  const [action, meaning] = pinned ? (['unpin', 'unpinMeans'] as const) : (['pin', 'pinMeans'] as const);
  const path = `${base}/publications/${id}/${action}`;
  const pinButton = buttonForm(context, path, messages.text(action), disabledInReadOnly(context));
  const remaining =
    expiresAt === null
      ? html`<p class="big">${messages.text('pinnedNow')}</p>`
      : html`<p class="big remaining">${state === 'expired' && messages.text('stateExpired')} ${distance(context, expiresAt)} <span class="quiet exact">${moment(context, expiresAt)}</span></p>`;
  const buttons = html`<div class="buttons">${canPin && pinButton}${renewButton(context, publication, limits)}</div>`;
  const content = html`${state !== 'deleted' && remaining}${buttons}
${canPin && html`<p class="quiet">${messages.text(meaning, { span: messages.span(limits.renewal) })}</p>`}`;
  return card(context, 'expires', content);
}

function renewButton(context: SignedInContext, publication: ShownPublication, limits: Limits): Html {
  const { messages, base } = context;
  const text = messages.text('renewFor', { span: messages.span(limits.renewal) });
  const refused = publication.refusal('reset_expiration');
  if (refused !== undefined) {
    return html`<button type="button" disabled aria-describedby="no-renewal">${text}</button><p class="quiet reason" id="no-renewal">${messages.text(NO_RENEWAL[refused])}</p>`;
  }
  const asksAgain =
    publication.passwordProtected && html`<p class="quiet reason">${messages.text('renewAsksAgain')}</p>`;
  return html`${buttonForm(context, `${base}/publications/${publication.id}/renew`, text, disabledInReadOnly(context))}${asksAgain}`;
}

/** The forms that set, change or remove the password, with the effects on viewers. */
export function passwordCard(
  context: SignedInContext,
  publication: ShownPublication,
  limits: Limits,
  formError: FieldError | undefined,
): Html | undefined {
  if (publication.refusal('set_password') !== undefined) return undefined;
  const { messages, base } = context;
  const { id, generation, passwordProtected: locked } = publication;
  const path = `${base}/publications/${id}/password`;
  const wrong = formError?.field === 'new-password' ? formError.message : undefined;
  const [action, meaning] = locked
    ? (['changePassword', 'passwordChangeMeans'] as const)
    : (['setPassword', 'passwordSetMeans'] as const);
  const seen = hidden('seen', generation);
  const disabled = disabledInReadOnly(context);
  const set = html`${seen}
${field(context, 'new-password', 'newPassword', {
  name: 'password',
  isSecret: true,
  hint: messages.text('passwordHint', {
    characters: limits.passwordMinCharacters,
    bytes: limits.passwordMaxBytes,
  }),
  error: wrong,
  attributes: html`autocomplete="new-password" required`,
})}
<p class="quiet">${messages.text(meaning)}</p>
<div class="buttons"><button${!locked && html` class="primary"`}${disabled}>${messages.text(action)}</button></div>`;
  const fields = html`${seen}${hidden('remove', 'yes')}`;
  const content = html`<p>${messages.text(locked ? 'hasPassword' : 'noPassword')}</p><details${wrong && html` open`}><summary>${messages.dialogLabel(action)}</summary>${fieldForm(context, path, set)}</details>
${locked && html`<p>${confirmation(context, 'removePassword', 'remove-password', path, { fields, disabled })}</p>`}`;
  return card(context, 'password', content);
}

export function titleCard(
  context: SignedInContext,
  { id, title, refusal }: ShownPublication,
  limits: Limits,
  formError: FieldError | undefined,
): Html | undefined {
  if (refusal('set_title') !== undefined) return undefined;
  const { messages, base } = context;
  const wrong = formError?.field === 'title' ? formError : undefined;
  const content = html`${hidden('seen', title ?? '')}
${field(context, 'title', 'titleHeading', {
  value: wrong?.value ?? title ?? '',
  hidesLabel: true,
  hint: messages.text('titleHint', { characters: limits.titleCharacters }),
  error: wrong?.message,
  button: html`<button${disabledInReadOnly(context)}>${messages.text('rename')}</button>`,
})}`;
  return card(context, 'titleHeading', fieldForm(context, `${base}/publications/${id}/rename`, content));
}

export function stopCard(context: SignedInContext, publication: ShownPublication): Html | undefined {
  const { id, refusal } = publication;
  if (refusal('stop') !== undefined) return undefined;
  const { base } = context;
  const content = html`<p class="quiet">${stopMeans(context, [publication])}</p><p>${stopLink(context, 'button', `${base}/publications/${id}/stop`)}</p>`;
  return card(context, 'stop', content);
}

export function stopMeans({ messages }: SignedInContext, publications: readonly ShownPublication[]): string {
  const { length: count } = publications;
  const areOver = publications.every(({ state }) => state === 'expired');
  return messages.text(areOver ? 'stopExpiredMeans' : 'stopMeans', { count });
}

export function factsCard(
  context: SignedInContext,
  publication: ShownPublication,
  hasArchive: boolean,
): Html {
  const { messages, base, screen } = context;
  const { id, state } = publication;
  const download =
    hasArchive &&
    screen.openArchive &&
    state !== 'deleted' &&
    html`<p><a class="button" href="${base}/publications/${id}/archive">${messages.text('downloadZip')}</a></p>`;
  return card(
    context,
    'facts',
    html`${factList(context, publicationFacts(context, publication))}${download}`,
  );
}

export function publicationFacts(
  context: SignedInContext,
  { id, publishedAt, deletedAt, fileCount, archiveBytes, size, originalFilename }: ShownPublication,
): Parameters<typeof factList>[1] {
  return [
    ['publishedAt', moment(context, publishedAt)],
    ['stoppedAt', deletedAt === null ? undefined : moment(context, deletedAt)],
    ['files', context.messages.number(fileCount)],
    ['size', context.messages.size(archiveBytes)],
    ['unpackedSize', context.messages.size(size)],
    ['filename', originalFilename === null ? undefined : html`<span dir="auto">${originalFilename}</span>`],
    ['id', html`${shortId(id)} ${copyButton(context, id, 'copyId')}`],
  ];
}

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

export function viewsCard(
  context: SignedInContext,
  publication: ShownPublication,
  days: readonly DayOfViews[],
): Html {
  const { messages } = context;
  const meaning = html`<p class="quiet">${messages.text('viewsMeans')}</p>`;
  if (days.length === 0) return card(context, 'views', html`<p>${messages.text('viewsNone')}</p>${meaning}`);
  const count = days.reduce((sum, { views }) => sum + views, 0);
  const refused = days.reduce((sum, { refusedPasswords }) => sum + refusedPasswords, 0);
  const withRefused = publication.passwordProtected || refused > 0;
  const table = tableOf(context, days, withRefused);
  const content = html`<p class="big">${messages.text('viewsTotal', { count })}</p>${withRefused && html`<p>${messages.text('viewsRefusedTotal', { count: refused })}</p>`}
${chart(context, days)}
${days.length <= SHOWN_DAYS ? table : html`<details><summary>${messages.text('viewsByDay')}</summary>${table}</details>`}
${meaning}`;
  return card(context, 'views', content);
}

/** A bar for each of the last 30 days, today on the right. The table has the same numbers. */
function chart({ messages, now }: SignedInContext, days: readonly DayOfViews[]): Html {
  const today = dayOf(now);
  const maxViews = Math.max(1, ...days.map(({ views }) => views));
  const bars = days
    .filter(({ views }) => views > 0)
    .map(({ day, views }) => {
      const height = Math.max(1, Math.round((views / maxViews) * CHART_HEIGHT));
      const x = (CHART_DAYS - 1 - (today - day)) * BAR_WIDTH;
      return html`<rect x="${x}" y="${CHART_HEIGHT - height}" width="${BAR_WIDTH - 2}" height="${height}"><title>${messages.day(day)}: ${messages.number(views)}</title></rect>`;
    });
  return html`<svg class="chart" viewBox="0 0 ${CHART_DAYS * BAR_WIDTH} ${CHART_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${messages.text('viewsChart')}">${bars}</svg>`;
}

function tableOf({ messages }: SignedInContext, days: readonly DayOfViews[], withRefused: boolean): Html {
  const numberHead = (id: MessageId): Html => html`<th scope="col" class="number">${messages.text(id)}</th>`;
  const numberCell = (value: number): Html => html`<td class="number">${messages.number(value)}</td>`;
  const rows = days.map(
    ({ day, views, refusedPasswords }) =>
      html`<tr><th scope="row">${messages.day(day)}</th>${numberCell(views)}${withRefused && numberCell(refusedPasswords)}</tr>`,
  );
  return html`<table class="files days">
<thead><tr><th scope="col">${messages.text('viewsDay')}</th>${numberHead('views')}${withRefused && numberHead('viewsRefused')}</tr></thead>
<tbody>${rows}</tbody></table>`;
}
