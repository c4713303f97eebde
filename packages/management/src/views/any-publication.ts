import type { Account } from '@pinfold/core';
import type { AdministeredPublication } from '@pinfold/core/administration';
import { type Html, html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import type { ShownPublication } from '../publication.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { accountLink, administrationPage, REASON_WRONG } from './administration.ts';
import { publicationFacts } from './detail-cards.ts';
import { card, confirmation, copyButton, marks, moment, reasonField, shortId, stateBadge } from './parts.ts';
import { factList } from './tables.ts';

export interface AnyPublication extends AdministeredPublication {
  readonly publication: ShownPublication;
}

export function anyPublicationView(
  visit: SignedInContext,
  found: AnyPublication,
  blocked: Account['blocked'],
  isReasonWrong: boolean,
): Html {
  const { words, base } = visit;
  const { publication } = found;
  return administrationPage(visit, {
    part: 'allPublications',
    ...(isReasonWrong ? { flash: REASON_WRONG } : {}),
    title: publication.name,
    main: html`<p class="back"><a href="${base}/administration/publications">${words.say('allPublications')}</a></p>
<div class="head"><h1 dir="auto">${publication.name}</h1><p class="head-state">${stateBadge(visit, publication)}${marks(visit, publication)}</p></div>
<div class="columns"><div class="stack">${factsCard(visit, found, blocked)}</div>
<div class="stack">${takedownCard(visit, found)}</div></div>`,
  });
}

function factsCard(
  visit: SignedInContext,
  { publication }: AnyPublication,
  blocked: Account['blocked'],
): Html {
  const { words } = visit;
  const { sharedUrl, expiresAt } = publication;
  const content = factList(visit, [
    ['account', accountLink(visit, publication.account)],
    [
      'blocked',
      blocked === null ? undefined : words.say(blocked.sites === 'hide' ? 'blockHidden' : 'blockKept'),
    ],
    ['sharedUrl', html`<a href="${sharedUrl}" target="_blank" rel="noopener">${sharedUrl}</a>`],
    ['expires', expiresAt === null ? undefined : moment(visit, expiresAt)],
    ...publicationFacts(visit, publication),
    ['sha256', html`${shortId(publication.sha256)} ${copyButton(visit, publication.sha256, 'copySha256')}`],
  ]);
  return card(visit, 'facts', content);
}

function takedownCard(visit: SignedInContext, { publication, takedown }: AnyPublication): Html {
  const { words, base } = visit;
  const because =
    takedown === undefined
      ? undefined
      : html`<p dir="auto">${words.say('takenDownBecause', { moment: words.moment(takedown.at), reason: takedown.reason })}</p>`;
  const check = (name: string, message: MessageId) =>
    html`<label class="check"><input type="checkbox" name="${name}" value="yes"> <span>${words.say(message)}</span></label>`;
  const fields = html`${reasonField(visit)}
${check('copies', 'takeDownCopies')}${check('purge', 'takeDownPurge')}`;
  const action = `${base}/administration/publications/${publication.id}/take-down`;
  const values = { name: publication.name };
  const dialog = confirmation(visit, 'takeDown', 'take-down', action, { values, fields });
  return card(visit, 'takedown', html`${because}<p class="quiet">${words.say('takeDownMeans')}</p>${dialog}`);
}
