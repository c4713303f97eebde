import { type Cause, OPERATOR, type Session, type SessionId, type Sessions } from '@pinfold/core';
import { sessionIdOf } from '@pinfold/core/accounts';
import { toRfc3339 } from '@pinfold/core/adapter';
import { tokens } from '@pinfold/inversify';
import { readAccount, readArguments } from '../command-line/arguments.ts';
import { byCommand } from '../command-line/by-command.ts';
import { jsonLine, shownText } from '../command-line/escape-control-characters.ts';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { OPTIONS } from '../command-line/options.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';

/** `pinfold sessions list | end` */
export async function sessions([action, ...args]: readonly string[], terminal: Terminal): Promise<void> {
  switch (action) {
    case 'list':
      return await list(args, terminal);
    case 'end':
      return await end(args, terminal);
    default:
      throw new UsageError('sessions takes list or end');
  }
}

async function list(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = readArguments(args, [], OPTIONS['sessions list']);
  const account = values.account === undefined ? undefined : readAccount(values.account);
  await withSessions(terminal, async (sessions) => {
    const told: Session[] = [];
    for await (const session of walk(sessions, account)) {
      if (values.json) told.push(session);
      else terminal.out(lineOf(session));
    }
    if (values.json) terminal.out(jsonLine({ sessions: told.map(sessionJson) }));
  });
}

async function* walk(sessions: Sessions, account: string | undefined): AsyncGenerator<Session> {
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

async function end(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readArguments(args, ['ID'], {});
  const [id = ''] = positionals;
  const cause: Cause = byCommand();
  const outcome = await withSessions(terminal, (sessions) => sessions.endById({ by: OPERATOR, id, cause }));
  if (outcome.kind === 'unknown') {
    throw new CommandFailure('there is no session with this id; "pinfold sessions list" lists them');
  }
  terminal.out(values.json ? jsonLine({ id, ended: true }) : `${id} is signed out.`);
}

function withSessions<Result>(
  terminal: Terminal,
  task: (sessions: Sessions) => Promise<Result>,
): Promise<Result> {
  return withComposition(terminal, async ({ container }) =>
    task(await container.getAsync(tokens.manageSessions)),
  );
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

function lineOf(session: Session): string {
  const { account, scope, actor, displayName, startedAt, endsAt } = session;
  const name = actor.id === null ? actor.kind : `${actor.kind} ${actor.id}`;
  return [
    sessionIdOf(session),
    account,
    scope,
    displayName === null ? name : `${name} (${displayName})`,
    `since ${toRfc3339(startedAt)}`,
    `until ${toRfc3339(endsAt)}`,
  ]
    .map(shownText)
    .join('  ');
}
