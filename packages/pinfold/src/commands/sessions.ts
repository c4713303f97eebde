import { type AccountId, OPERATOR, type Session, type SessionId, type Sessions } from '@pinfold/core';
import { sessionIdOf, toRfc3339 } from '@pinfold/core/internal';
import { findPrintableAddresses } from '../api-client/machine-server.ts';
import { readAccount, readActingAccount, readOneOrAll } from '../command-line/arguments.ts';
import { type Command, command, flagOption, valueOption } from '../command-line/command.ts';
import { CommandFailure } from '../command-line/failures.ts';
import { LIST_OPTIONS, pluralize, printList } from '../command-line/print-list.ts';
import { checkNotErasing, everyItem, withComposition } from '../command-line/with-composition.ts';
import { DEFAULT_ACCOUNT, operatorCause } from '../identity.ts';
import { createSignInLink } from '../start/sign-in-link.ts';

const list = command({
  name: 'sessions list',
  options: { account: valueOption('NAME', 'only the sessions of one account'), ...LIST_OPTIONS },
  help: 'list the people who are signed in to the management screen',
  example: 'pinfold sessions list --account web-team',
  run: async (_, values, terminal) => {
    const account = values.account === undefined ? undefined : readAccount(values.account);
    const format = { ...values, member: 'sessions', toColumns, toJson };
    await withComposition(terminal, ({ manageSessions }) =>
      printList(everySession(manageSessions, account), terminal, format),
    );
  },
});

function everySession(sessions: Sessions, account: AccountId | undefined): AsyncIterable<Session> {
  return everyItem(
    async ({ limit, cursor }) => {
      const range = { ...(account && { account }), ...(cursor && { after: cursor as SessionId }) };
      const page = await sessions.list({ by: OPERATOR, limit, ...range });
      return { kind: 'page', ...page } as const;
    },
    (page) => page.sessions,
  );
}

const endCommand = command({
  name: 'sessions end',
  arguments: ['[ID]'],
  options: {
    account: valueOption('NAME', 'all sessions of one account, in place of ID'),
    all: flagOption('all sessions of all accounts, in place of ID'),
  },
  help: 'sign someone out immediately',
  example: 'pinfold sessions end 9f86d081884c7d65',
  guide: 'secrets.md',
  run: async ([text], values, terminal) => {
    const target = readOneOrAll(text, values);
    if (!('id' in target)) {
      const { account } = target;
      const ids = await withComposition(terminal, ({ manageSessions }) => endAll(manageSessions, account));
      return { json: { ended: ids }, text: `${pluralize(ids.length, 'session')} ended.` };
    }
    const { id } = target;
    const request = { by: OPERATOR, id, cause: operatorCause() };
    const outcome = await withComposition(terminal, ({ manageSessions }) => manageSessions.endById(request));
    if (outcome.kind === 'unknown') {
      const message = 'no session has this id; "pinfold sessions list" lists them';
      throw new CommandFailure(message, 'not_found');
    }
    return { json: { id, ended: true }, text: `${id} is signed out.` };
  },
});

async function endAll(sessions: Sessions, account: AccountId | undefined): Promise<readonly string[]> {
  const ended: string[] = [];
  // Read all first: the cursor of a page is a session, which must still exist.
  const all: Session[] = [];
  for await (const session of everySession(sessions, account)) all.push(session);
  for (const session of all) {
    const id = sessionIdOf(session);
    const { kind } = await sessions.endById({ by: OPERATOR, id, cause: operatorCause() });
    if (kind !== 'unknown') ended.push(id);
  }
  return ended;
}

const manage = command({
  name: 'manage',
  options: {
    account: valueOption('NAME', 'the account to sign in to (default: default)'),
    admin: flagOption('sign in as an administrator of the service as well'),
  },
  help: 'print a link that signs in to the management screen once, within an hour',
  example: 'pinfold manage --account web-team',
  guide: 'administration.md',
  run: async (_, { admin, ...values }, terminal) => {
    const account = values.account === undefined ? DEFAULT_ACCOUNT : readActingAccount(values.account);
    const { url, warning } = await withComposition(terminal, async (composition, settings) => {
      await checkNotErasing(composition.administration, account, 'no one can sign in to it');
      const { addresses, warning } = await findPrintableAddresses(settings);
      const scope = admin === true ? 'admin' : 'manage';
      const cause = operatorCause();
      return { url: await createSignInLink(composition, addresses, account, cause, scope), warning };
    });
    terminal.err(
      'The link signs in once, within an hour: the first person who presses "Sign in" is signed in.',
    );
    if (warning !== undefined) terminal.err(warning);
    return { json: { account, url }, text: url };
  },
});

export const commands: readonly Command[] = [manage, list, endCommand];

function toJson(session: Session): Record<string, unknown> {
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

function toColumns(session: Session): readonly string[] {
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
