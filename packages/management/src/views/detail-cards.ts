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
    locked && context.offers.grants
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
  const { messages, base, offers } = context;
  const { id, state } = publication;
  const download =
    hasArchive &&
    offers.archives &&
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
