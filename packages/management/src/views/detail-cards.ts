import type { Limits } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import type { RefusedBecause, ShownPublication } from '../publication.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { buttonForm, disabledInReadOnly, form, stopLink } from './forms.ts';
import { card, copyButton, distance, moment, shortId } from './parts.ts';
import { factList } from './tables.ts';

export const NO_RENEWAL: Readonly<Record<RefusedBecause, MessageId>> = {
  archive_removed: 'state_archive_removed',
  deleted: 'state_deleted',
  expired: 'state_expired_renewal',
  pinned: 'state_pinned',
};

export function linkCard(visit: SignedInContext, publication: ShownPublication): Html {
  const { words } = visit;
  const { sharedUrl, state, passwordProtected: locked } = publication;
  if (state !== 'published') {
    const over = words.say(state === 'expired' ? 'linkExpired' : 'linkStopped');
    const content = html`<p class="url quiet"><s>${sharedUrl}</s></p><p>${over}</p>`;
    return card(visit, 'sharedUrl', content);
  }
  const path = `${visit.base}/publications/${publication.id}`;
  const opener =
    locked && visit.offers.grants
      ? form(visit, `${path}/open`, html`<button>${words.say('openSite')}</button>`, html` target="_blank"`)
      : html`<a class="button" href="${sharedUrl}" target="_blank" rel="noopener">${words.say('openSite')}</a>`;
  const content = html`<div class="url-row"><a class="url" href="${sharedUrl}" target="_blank" rel="noopener">${sharedUrl}</a>${copyButton(visit, sharedUrl, 'copyLink')}${opener}</div>
<div class="link-more"><img class="code" src="${path}/code.svg" alt="${words.say('linkCode')}" width="128" height="128">
<dl class="brief"><div><dt>${words.say('whoCanOpen')}</dt><dd>${words.say(locked ? 'openToPassword' : 'openToAnyone')}</dd></div></dl></div>`;
  return card(visit, 'sharedUrl', content);
}

export function lifetimeCard(visit: SignedInContext, publication: ShownPublication, limits: Limits): Html {
  const { words } = visit;
  const { state, pinned, expiresAt } = publication;
  const remaining =
    expiresAt === null
      ? html`<p class="big">${words.say('pinnedNow')}</p>`
      : html`<p class="big remaining">${state === 'expired' && words.say('stateExpired')} ${distance(visit, expiresAt)} <span class="quiet exact">${moment(visit, expiresAt)}</span></p>`;
  const buttons = html`<div class="buttons">${pinButton(visit, publication)}${renewButton(visit, publication, limits)}</div>`;
  const means = pinned ? 'unpinMeans' : 'pinMeans';
  const content = html`${state !== 'deleted' && remaining}${buttons}
${publication.refusal('pin') === undefined && html`<p class="quiet">${words.say(means, { span: words.span(limits.renewal) })}</p>`}`;
  return card(visit, 'expires', content);
}

function pinButton(visit: SignedInContext, { id, pinned, refusal }: ShownPublication): Html | undefined {
  if (refusal('pin') !== undefined) return undefined;
  const { words, base } = visit;
  const action = pinned ? 'unpin' : 'pin';
  const path = `${base}/publications/${id}/${action}`;
  return buttonForm(visit, path, words.say(action), disabledInReadOnly(visit));
}

function renewButton(visit: SignedInContext, publication: ShownPublication, limits: Limits): Html {
  const { words, base } = visit;
  const text = words.say('renewFor', { span: words.span(limits.renewal) });
  const refused = publication.refusal('reset_expiration');
  if (refused !== undefined) {
    return html`<button type="button" disabled aria-describedby="no-renewal">${text}</button><p class="quiet reason" id="no-renewal">${words.say(NO_RENEWAL[refused])}</p>`;
  }
  const asksAgain =
    publication.passwordProtected && html`<p class="quiet reason">${words.say('renewAsksAgain')}</p>`;
  return html`${buttonForm(visit, `${base}/publications/${publication.id}/renew`, text, disabledInReadOnly(visit))}${asksAgain}`;
}

export function stopCard(visit: SignedInContext, publication: ShownPublication): Html | undefined {
  const { id, refusal } = publication;
  if (refusal('stop') !== undefined) return undefined;
  const { base } = visit;
  const content = html`<p class="quiet">${stopMeans(visit, [publication])}</p><p>${stopLink(visit, 'button', `${base}/publications/${id}/stop`)}</p>`;
  return card(visit, 'stop', content);
}

/** The consequence of stopping publications. */
export function stopMeans({ words }: SignedInContext, publications: readonly ShownPublication[]): string {
  const { length: count } = publications;
  const areOver = publications.every(({ state }) => state === 'expired');
  return words.say(areOver ? 'stopExpiredMeans' : 'stopMeans', { count });
}

/** @param hasArchive whether its ZIP is stored. */
export function factsCard(visit: SignedInContext, publication: ShownPublication, hasArchive: boolean): Html {
  const { words, base, offers } = visit;
  const { id, state } = publication;
  const download =
    hasArchive &&
    offers.archives &&
    state !== 'deleted' &&
    html`<p><a class="button" href="${base}/publications/${id}/archive">${words.say('downloadZip')}</a></p>`;
  return card(visit, 'facts', html`${factList(visit, publicationFacts(visit, publication))}${download}`);
}

export function publicationFacts(
  visit: SignedInContext,
  { id, publishedAt, deletedAt, fileCount, archiveBytes, size, originalFilename }: ShownPublication,
): Parameters<typeof factList>[1] {
  return [
    ['publishedAt', moment(visit, publishedAt)],
    ['stoppedAt', deletedAt === null ? undefined : moment(visit, deletedAt)],
    ['files', visit.words.number(fileCount)],
    ['size', visit.words.size(archiveBytes)],
    ['unpackedSize', visit.words.size(size)],
    ['filename', originalFilename === null ? undefined : html`<span dir="auto">${originalFilename}</span>`],
    ['id', html`${shortId(id)} ${copyButton(visit, id, 'copyId')}`],
  ];
}
