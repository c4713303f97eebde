import { OPERATOR, type SessionId } from '@pinfold/core';
import { parseSessionId, sessionIdOf } from '@pinfold/core/internal';
import type { With } from '../options.ts';
import { PAGE_SIZE, present, queryText } from '../request/page-request.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { notFound } from '../response/refuse.ts';
import { sessionsPath, sessionsView } from '../views/sessions.ts';
import { known, nameOf } from './accounts.ts';
import { labelsOf } from './history.ts';

const ENDED_AT_ONCE = 100;

export async function showSessions(screen: With<'sessions'>, visit: SignedInContext): Promise<Answer> {
  const account = known(queryText(visit, 'account'));
  const after = parseSessionId(queryText(visit, 'cursor'));
  const request = { by: OPERATOR, limit: PAGE_SIZE, ...present({ account, after }) };
  const { sessions, next } = await screen.sessions.list(request);
  const names = await labelsOf(screen, OPERATOR, sessions);
  const position = { further: after !== undefined, next };
  return page(sessionsView(visit, { sessions, names, account, position }));
}

export async function endSession({ sessions }: With<'sessions'>, visit: SignedInContext): Promise<Answer> {
  const account = known(queryText(visit, 'account'));
  await sessions.endById({ by: OPERATOR, id: String(visit.request.params.id), cause: visit.cause });
  return seeOther(sessionsPath(visit, account), { tone: 'good', message: 'didEndSession' });
}

/** Ends every session of an account, but for the one that asks for it. */
export async function endSessions({ sessions }: With<'sessions'>, visit: SignedInContext): Promise<Answer> {
  const account = nameOf(visit);
  if (account === undefined) return notFound(visit);
  let count = 0;
  let after: SessionId | undefined;
  do {
    const request = { by: OPERATOR, account, limit: ENDED_AT_ONCE, ...present({ after }) };
    const found = await sessions.list(request);
    for (const session of found.sessions) {
      if (session.tokenHash === visit.credential.session) continue;
      await sessions.endById({ by: OPERATOR, id: sessionIdOf(session), cause: visit.cause });
      count += 1;
    }
    after = found.next;
  } while (after !== undefined);
  const flash = { tone: 'good', message: 'didEndSessions', values: { count } } as const;
  return seeOther(sessionsPath(visit, account), flash);
}
