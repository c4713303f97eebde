import { OPERATOR, type Session, type SessionId, type Sessions } from '@pinfold/core';
import { sessionIdOf, toRfc3339 } from '@pinfold/core/internal';
import { readAccount } from '../command-line/arguments.ts';
import { operatorCause } from '../command-line/by-command.ts';
import { type Command, command } from '../command-line/command.ts';
import { CommandFailure } from '../command-line/failures.ts';
import { printList } from '../command-line/print-list.ts';
import { withComposition } from '../command-line/with-composition.ts';

const list = command({
  name: 'sessions list',
  options: { account: { type: 'string', value: 'NAME', help: 'only the sessions of one account' } },
  help: 'list who is signed in to the management screen',
  example: 'pinfold sessions list --account web-team',
  run: async (_, values, terminal) => {
    const account = values.account === undefined ? undefined : readAccount(values.account);
    const format = { member: 'sessions', json: values.json, factsOf, toJson: sessionJson };
    await withComposition(terminal, ({ manageSessions }) =>
      printList(everySession(manageSessions, account), terminal, format),
    );
  },
});

const end = command({
  name: 'sessions end',
  arguments: ['ID'],
  help: 'sign someone out immediately',
  example: 'pinfold sessions end 9f86d081884c7d65',
  run: async ([id], _, terminal) => {
    const request = { by: OPERATOR, id, cause: operatorCause() };
    const outcome = await withComposition(terminal, ({ manageSessions }) => manageSessions.endById(request));
    if (outcome.kind === 'unknown') {
      const message = 'there is no session with this id; "pinfold sessions list" lists them';
      throw new CommandFailure(message, { code: 'not_found' });
    }
    return { json: { id, ended: true }, text: `${id} is signed out.` };
  },
});

export const commands: readonly Command[] = [list, end];

async function* everySession(sessions: Sessions, account: string | undefined): AsyncGenerator<Session> {
  let after: SessionId | undefined;
  do {
    const wanted = {
      ...(account === undefined ? {} : { account }),
      ...(after === undefined ? {} : { after }),
    };
    const page = await sessions.list({ by: OPERATOR, limit: 100, ...wanted });
    yield* page.sessions;
    after = page.next;
  } while (after !== undefined);
}

function sessionJson(session: Session): Record<string, unknown> {
  const { account, scope, actor, displayName, startedAt, endsAt } = session;
  return {
    id: sessionIdOf(session),
    account,
    scope,
    actor,
    display_name: displayName,
    started_at: toRfc3339(startedAt),
    ends_at: toRfc3339(endsAt),
  };
}

function factsOf(session: Session): readonly string[] {
  const { account, scope, actor, displayName, startedAt, endsAt } = session;
  const name = actor.id === null ? actor.kind : `${actor.kind} ${actor.id}`;
  return [
    sessionIdOf(session),
    account,
    scope,
    displayName === null ? name : `${name} (${displayName})`,
    `since ${toRfc3339(startedAt)}`,
    `until ${toRfc3339(endsAt)}`,
  ];
}
