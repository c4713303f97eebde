import { readFile } from 'node:fs/promises';
import type { AccountId } from '@pinfold/core';
import type { Administration } from '@pinfold/core/administration';
import { parseAccountId } from '@pinfold/core/internal';
import { readAccount } from '../command-line/arguments.ts';
import { type Command, command, flag, text } from '../command-line/command.ts';
import {
  CommandFailure,
  reportingSystemErrors,
  UnavailableError,
  UsageError,
} from '../command-line/failures.ts';
import { pluralize } from '../command-line/pluralize.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { operatorCause } from '../identity.ts';

/** What no command of this machine reaches. */
const OUT_OF_REACH = [
  'earlier backups and exports: delete them, or keep the list below and repeat it after each restore',
  'logs of Pinfold, of proxies and of the identity provider',
  "the database's write-ahead log, replicas and free pages: on SQLite they go with a checkpoint and VACUUM, on PostgreSQL with VACUUM FULL",
  'earlier versions of objects, where the bucket keeps them',
] as const;

export const erase: Command = command({
  name: 'accounts erase',
  arguments: ['[NAME]'],
  options: {
    list: text('FILE', 'erase again each account of a list, one JSON string a line, after a restore'),
    yes: flag('do not ask'),
  },
  help: 'erase an account with all that is stored of its person; it cannot be undone',
  example: 'pinfold accounts erase oidc:4f1c',
  guide: 'personal-data.md#erase-an-account',
  run: async ([name], { list, yes }, terminal) => {
    if ((name === undefined) === (list === undefined)) {
      throw new UsageError('exactly one of NAME and --list is required');
    }
    if (name !== undefined) return await eraseOne(readAccount(name), yes === true, terminal);
    return await eraseListed(await namesIn(list ?? ''), yes === true, terminal);
  },
});

async function eraseOne(name: AccountId, isConfirmed: boolean, terminal: Terminal) {
  if (!isConfirmed) await confirmErasure(`account "${name}"`, terminal);
  const { isDone, takedowns } = await withComposition(terminal, async ({ administration }) => ({
    isDone: await eraseAll(administration, name),
    takedowns: await administration.takedownsNaming(name),
  }));
  if (isDone === undefined) {
    const message = 'there is no account of this name; "pinfold accounts list" lists them';
    throw new CommandFailure(message, { code: 'not_found' });
  }
  if (!isDone) throw archivesLeft();
  const named = takedowns.map(({ id, reason }) => ({ id, reason }));
  const listLine = asciiJson(name);
  return {
    json: { erased: true, out_of_reach: OUT_OF_REACH, takedowns: named, list_line: listLine },
    text: [
      'The account is erased. These are out of reach:',
      ...OUT_OF_REACH.map((place) => `- ${place}`),
      ...(named.length === 0 ? [] : ['Reasons of takedowns stay, and the name occurs in these:']),
      ...named.map(({ id, reason }) => `- ${id}: ${reason}`),
      'Add this line to your list, for "pinfold accounts erase --list" after a restore:',
      listLine,
    ],
  };
}

/** What is done already, and names that are not there, are passed over. */
async function eraseListed(names: readonly AccountId[], isConfirmed: boolean, terminal: Terminal) {
  if (!isConfirmed) await confirmErasure(`the accounts of the list (${names.length})`, terminal);
  const outcomes = await withComposition(terminal, async ({ administration }) => {
    const done: (boolean | undefined)[] = [];
    // One after another: each takes the locks of many rows.
    for (const name of names) done.push(await eraseAll(administration, name));
    return done;
  });
  if (outcomes.includes(false)) throw archivesLeft();
  const erased = outcomes.filter((isDone) => isDone === true).length;
  return {
    json: { erased, passed_over: names.length - erased },
    text: `${pluralize(erased, 'account')} erased, ${names.length - erased} not there.`,
  };
}

/** Whether all of an account is erased; `undefined` for an unknown one. */
async function eraseAll(administration: Administration, name: AccountId): Promise<boolean | undefined> {
  const begun = await administration.eraseAccount(name, operatorCause());
  if (begun.kind === 'erasing') return await administration.finishErasure(name);
  if (begun.code === 'not_found') return undefined;
  throw new CommandFailure(
    begun.state === 'never_erased'
      ? 'the account "default" is never erased'
      : 'this is what stays of an erased account',
    { code: 'invalid_state' },
  );
}

/** A terminal shows other characters as they are, or not at all. */
function asciiJson(name: string): string {
  return JSON.stringify(name).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function archivesLeft(): UnavailableError {
  return new UnavailableError(
    'archives could not be removed from the storage; the server goes on with it, or repeat the command',
  );
}

async function confirmErasure(what: string, { confirm }: Terminal): Promise<void> {
  if (confirm === undefined) throw new UsageError('erase asks on a terminal; without one, add --yes');
  const isWanted = await confirm(`Erase ${what}, all publications and keys included? This cannot be undone.`);
  if (!isWanted) throw new CommandFailure('nothing was erased');
}

async function namesIn(file: string): Promise<readonly AccountId[]> {
  const content = await reportingSystemErrors(() => readFile(file, 'utf8'));
  return content
    .split('\n')
    .map((line, n) => [line.trim(), n + 1] as const)
    .filter(([line]) => line !== '')
    .map(([line, n]) => {
      const name = nameIn(line);
      if (name !== undefined) return name;
      throw new CommandFailure(`line ${n} is no JSON string with the name of an account`, {
        code: 'unreadable',
      });
    });
}

function nameIn(line: string): AccountId | undefined {
  try {
    return parseAccountId(JSON.parse(line));
  } catch {
    return undefined;
  }
}
