import type { Session } from '@pinfold/core';
import { sessionIdOf } from '@pinfold/core/internal';
import { type Html, html } from '@pinfold/http/internal';
import type { PagePosition } from '../request/page-request.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { accountLink, accountPath, administrationPage } from './administration.ts';
import { doer, type EventNames } from './history.ts';
import { confirmation, distance } from './parts.ts';
import { cell, pager, queryOf, rowsTable } from './tables.ts';

export interface SessionsModel {
  readonly sessions: readonly Session[];
  /** The labels of the keys that began them, by id. */
  readonly names: EventNames;
  /** The account that it is narrowed to. */
  readonly account: string | undefined;
  readonly position: PagePosition;
}

export function sessionsView(visit: SignedInContext, model: SessionsModel): Html {
  const { words } = visit;
  const { sessions, account, position } = model;
  const table = rowsTable(
    visit,
    ['sessionPerson', 'account', 'session.started', 'expires', 'actions'],
    sessions,
    (session) => row(visit, session, model),
  );
  return administrationPage(visit, {
    part: 'sessions',
    title: words.say('sessions'),
    main: html`<div class="head"><h1>${words.say('sessions')}</h1>${account === undefined ? html`<p class="quiet">${words.say('sessionsIntro')}</p>` : html`<p>${accountLink(visit, account)}</p>`}</div>
${sessions.length === 0 ? html`<p class="none">${words.say('sessionsNone')}</p>` : table}
${account === undefined || sessions.length === 0 ? undefined : html`<div>${endAll(visit, account)}</div>`}
${pager(visit, '/administration/sessions', position, { account })}`,
  });
}

function row(visit: SignedInContext, session: Session, { names, account }: SessionsModel): Html {
  const { words, base } = visit;
  const id = sessionIdOf(session);
  const action = `${base}/administration/sessions/${id}/end${queryOf({ account })}`;
  const end = confirmation(visit, 'endSession', `end-${id}`, action);
  const isOwn = session.tokenHash === visit.credential.session;
  const person = session.displayName ?? doer(visit, session.actor, names);
  const admin =
    session.scope === 'admin' ? html`<span class="chip">${words.say('scopeAdmin')}</span>` : undefined;
  return html`<tr><th scope="row"><span class="name" dir="auto" title="${person}">${person}</span><span class="marks">${admin}</span></th>
${cell(visit, 'account', accountLink(visit, session.account))}
${cell(visit, 'session.started', distance(visit, session.startedAt))}
${cell(visit, 'expires', distance(visit, session.endsAt))}
<td class="actions">${isOwn ? words.say('sessionOwn') : end}</td></tr>`;
}

function endAll(visit: SignedInContext, name: string): Html {
  const action = `${accountPath(visit, name)}/sessions/end`;
  return confirmation(visit, 'endSessions', 'end-all', action, { values: { name } });
}

/** The page of all sessions, or of those of one account. */
export function sessionsPath({ base }: SignedInContext, account: string | undefined): string {
  return `${base}/administration/sessions${queryOf({ account })}`;
}
