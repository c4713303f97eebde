import type { Takedown } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal';
import type { PagePosition } from '../request/page-request.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { accountLink, administrationPage } from './administration.ts';
import { confirmation, moment, shortId } from './parts.ts';
import { cell, pager, rowsTable } from './tables.ts';

export interface TakedownsModel {
  readonly takedowns: readonly Takedown[];
  readonly position: PagePosition;
}

export function takedownsView(visit: SignedInContext, model: TakedownsModel): Html {
  const { words } = visit;
  const columns = ['publication', 'account', 'reason', 'historyWhen', 'actions'] as const;
  const table = rowsTable(visit, columns, model.takedowns, (takedown) => row(visit, takedown));
  return administrationPage(visit, {
    part: 'takedowns',
    title: words.say('takedowns'),
    main: html`<div class="head"><h1>${words.say('takedowns')}</h1></div>
${model.takedowns.length === 0 ? html`<p class="none">${words.say('bansNone')}</p>` : table}
${pager(visit, '/administration/takedowns', model.position)}`,
  });
}

function row(visit: SignedInContext, { id, account, sha256, reason, at }: Takedown): Html {
  const { base } = visit;
  const action = `${base}/administration/takedowns/${sha256}/lift`;
  const lift = confirmation(visit, 'lift', `lift-${sha256}`, action);
  return html`<tr><th scope="row"><a class="name" href="${base}/administration/publications/${id}">${shortId(id)}</a><span class="marks"><code class="quiet" title="${sha256}">SHA-256 ${sha256.slice(0, 12)}…</code></span></th>
${cell(visit, 'account', accountLink(visit, account))}
${cell(visit, 'reason', html`<span dir="auto">${reason}</span>`)}
${cell(visit, 'historyWhen', moment(visit, at))}
<td class="actions">${lift}</td></tr>`;
}
