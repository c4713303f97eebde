import type { AccountId, Takedown } from '@pinfold/core';
import type { Administration } from '@pinfold/core/administration';
import { parseAccountId } from '@pinfold/core/internal';
import { readAccount } from '../command-line/arguments.ts';
import {
  type Command,
  command,
  flagOption,
  printResult,
  type Result,
  valueOption,
} from '../command-line/command.ts';
import { readLines } from '../command-line/decode-text.ts';
import { CommandFailure, UnavailableError, UsageError } from '../command-line/failures.ts';
import { pluralize } from '../command-line/print-list.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { operatorCause } from '../identity.ts';
import { parsedJson } from '../parsed-json.ts';

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
    list: valueOption('FILE', 'erase again each account of a list, one JSON string a line, after a restore'),
    yes: flagOption('do not ask'),
  },
  help: 'erase an account with all that is stored of its person; it cannot be undone',
  example: 'pinfold accounts erase oidc:4f1c',
  guide: 'personal-data.md#erase-an-account',
  run: async ([name], { list, yes, json }, terminal) => {
    if ((name === undefined) === (list === undefined)) {
      throw new UsageError('exactly one of NAME and --list is required');
    }
    if (name !== undefined) {
      const account = readAccount(name);
      if (yes !== true) await confirmErasure(account, terminal);
      return await eraseOne(account, json, terminal);
    }
    // Each was confirmed when it was erased before, and a restore may have no terminal.
    return await eraseListed(await namesIn(list ?? ''), terminal);
  },
});

async function eraseOne(name: AccountId, isJson: boolean, terminal: Terminal): Promise<Result> {
  const { outcome, takedowns } = await withComposition(terminal, async ({ administration }) => ({
    outcome: await eraseAll(administration, name),
    takedowns: await administration.takedownsNaming(name),
  }));
  if (outcome === 'not_found') throw noAccount();
  if (isRefused(outcome)) throw new CommandFailure(REFUSED[outcome], 'invalid_state');
  const isErased = outcome === 'erased';
  const report = reportOf(name, isErased, takedowns);
  if (isErased) return report;
  // The line is given all the same: once the server has ended the erasure, the command knows of no such account.
  printResult(report, isJson, terminal);
  throw new UnavailableError(ARCHIVES_LEFT, { reported: true });
}

function reportOf(name: AccountId, isErased: boolean, takedowns: readonly Takedown[]): Result {
  const named = takedowns.map(({ id, reason }) => ({ id, reason }));
  const listLine = asciiJson(name);
  return {
    json: { erased: isErased, out_of_reach: OUT_OF_REACH, takedowns: named, list_line: listLine },
    text: [
      `The account is ${isErased ? '' : 'being '}erased. These are out of reach:`,
      ...OUT_OF_REACH.map((place) => `- ${place}`),
      ...(named.length === 0 ? [] : ['Reasons of takedowns stay, and the name occurs in these:']),
      ...named.map(({ id, reason }) => `- ${id}: ${reason}`),
      'Add this line to your list, for "pinfold accounts erase --list" after a restore:',
      listLine,
    ],
  };
}

/** What is done already, and names that are not there, are passed over. What is refused keeps no other from being erased. */
async function eraseListed(listed: readonly Listed[], terminal: Terminal): Promise<Result> {
  const outcomes = await withComposition(terminal, async ({ administration }) => {
    const done: Outcome[] = [];
    // One after another: each takes the locks of many rows.
    for (const { name } of listed) done.push(await eraseAll(administration, name));
    return done;
  });
  const count = (wanted: Outcome): number => outcomes.filter((outcome) => outcome === wanted).length;
  const [erased, passedOver] = [count('erased'), count('not_found')];
  const text = `${pluralize(erased, 'account')} erased, ${passedOver} not there.`;
  if (count('archives_left') > 0) throw new UnavailableError(ARCHIVES_LEFT);
  const [refused] = listed.flatMap(({ line }, n) => {
    const outcome = outcomes[n];
    return outcome !== undefined && isRefused(outcome) ? [`line ${line}: ${REFUSED[outcome]}`] : [];
  });
  if (refused === undefined) return { json: { erased, passed_over: passedOver }, text };
  throw new CommandFailure(`${text} But ${refused}`, 'invalid_state');
}

type Refused = keyof typeof REFUSED;
type Outcome = 'erased' | 'archives_left' | 'not_found' | Refused;

const REFUSED = {
  is_default: 'the account "default" is never erased',
  stays: 'this is what stays of an erased account',
} as const;

function isRefused(outcome: Outcome): outcome is Refused {
  return outcome in REFUSED;
}

const ARCHIVES_LEFT =
  'archives could not be removed from the storage; the server goes on with it, or repeat the command';

async function eraseAll(administration: Administration, name: AccountId): Promise<Outcome> {
  const begun = await administration.eraseAccount(name, operatorCause());
  if (begun.kind === 'erasing') {
    return (await administration.finishErasure(name)) ? 'erased' : 'archives_left';
  }
  if (begun.code === 'not_found') return 'not_found';
  return begun.state === 'never_erased' ? 'is_default' : 'stays';
}

/** A terminal shows other characters as they are, or not at all. */
function asciiJson(name: string): string {
  return JSON.stringify(name).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function noAccount(): CommandFailure {
  const message = 'there is no account of this name; "pinfold accounts list" lists them';
  return new CommandFailure(message, 'not_found');
}

async function confirmErasure(name: AccountId, { confirm }: Terminal): Promise<void> {
  if (confirm === undefined) throw new UsageError('erase asks on a terminal; without one, add --yes');
  const isWanted = await confirm(
    `Erase account "${name}", all publications and keys included? This cannot be undone.`,
  );
  if (!isWanted) throw new CommandFailure('nothing was erased', 'interrupted');
}

interface Listed {
  readonly name: AccountId;
  readonly line: number;
}

async function namesIn(file: string): Promise<readonly Listed[]> {
  return (await readLines(file))
    .map((text, n) => ({ text: text.trim(), line: n + 1 }))
    .filter(({ text }) => text !== '')
    .map(({ text, line }) => {
      const name = parseAccountId(parsedJson(text) as string);
      if (name !== undefined) return { name, line };
      throw new CommandFailure(`line ${line} is no JSON string with the name of an account`, 'unreadable');
    });
}
