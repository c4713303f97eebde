import { OPERATOR, type Session } from '@pinfold/core';
import { parseAccountId, parseSessionId, sessionIdOf } from '@pinfold/core/internal';
import { html } from '@pinfold/http/internal';
import { omitEmpty, PAGE_SIZE, queryText } from '../request/page-request.ts';
import type { SignedIn } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { confirmation } from '../views/forms.ts';
import { accountLink, administrationPage } from '../views/layout.ts';
import { distance, heading } from '../views/parts.ts';
import { listOf, queryOf } from '../views/tables.ts';
import { actorText, labelsOf } from './history.ts';

const PATH = '/administration/sessions';

export async function showSessions(context: SignedIn<'sessions'>): Promise<Answer> {
  const { messages, base, credential } = context;
  const account = parseAccountId(queryText(context, 'account'));
  const after = parseSessionId(queryText(context, 'cursor'));
  const request = { by: OPERATOR, limit: PAGE_SIZE, ...omitEmpty({ account, after }) };
  const { sessions: items, next } = await context.screen.sessions.list(request);
  const names = await labelsOf(context, OPERATOR, items);
  const query = { account };
  const person = (session: Session) => {
    const name = session.displayName ?? actorText(context, session.actor, names);
    const admin = session.scope === 'admin' && html`<span class="chip">${messages.text('scopeAdmin')}</span>`;
    return html`<span class="name" dir="auto" title="${name}">${name}</span><span class="marks">${admin}</span>`;
  };
  const end = (session: Session) => {
    const id = sessionIdOf(session);
    return confirmation(context, 'endSession', `end-${id}`, `${base}${PATH}/${id}/end${queryOf(query)}`);
  };
  const main = html`${heading(messages.text('sessions'), account ? html`<p>${accountLink(context, account)}</p>` : messages.text('sessionsIntro'))}
${listOf(context, {
  items,
  none: 'sessionsNone',
  path: PATH,
  next,
  query,
  columns: [
    ['sessionPerson', person],
    ['account', (session) => accountLink(context, session.account)],
    ['session.started', ({ startedAt }) => distance(context, startedAt)],
    ['expires', ({ endsAt }) => distance(context, endsAt)],
    [
      'actions',
      (session) => (session.tokenHash === credential.session ? messages.text('sessionOwn') : end(session)),
    ],
  ],
})}`;
  return page(administrationPage(context, 'sessions', main));
}

export async function endSession(context: SignedIn<'sessions'>): Promise<Answer> {
  const { request, cause, base } = context;
  const account = parseAccountId(queryText(context, 'account'));
  await context.screen.sessions.endById({ by: OPERATOR, id: String(request.params.id), cause });
  return seeOther(base + PATH + queryOf({ account }), { tone: 'good', message: 'didEndSession' });
}
