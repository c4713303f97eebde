import type { AccountId, Takedown } from '@pinfold/core';
import type { Administration } from '@pinfold/core/administration';
import { parseAccountId } from '@pinfold/core/internal';
import { readAccount, readPath } from '../command-line/arguments.ts';
import {
  type Command,
  command,
  flagOption,
  printResult,
  type Result,
  valueOption,
} from '../command-line/command.ts';
import { CommandFailure, UnavailableError, UsageError } from '../command-line/failures.ts';
import { readLines } from '../command-line/input.ts';
import { pluralize } from '../command-line/print-list.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { operatorCause } from '../identity.ts';
import { tryParseJson } from '../try-parse-json.ts';

/** Places with data of the account that no command of this machine can erase. */
const OUT_OF_REACH = [
  'earlier backups and exports: delete them, or keep the list below and repeat it after each restore',
  'evidence and other ZIPs that you saved, and exported lists of takedowns',
  'logs of Pinfold, of proxies and of the identity provider',
  "the database's write-ahead log and replicas, and free pages of PostgreSQL: those go with VACUUM FULL",
  'earlier versions of objects, where the bucket keeps them',
] as const;

export const erase: Command = command({
  name: 'accounts erase',
  arguments: ['[NAME]'],
  options: {
    list: valueOption(
      'FILE',
      'erase again each account of a list, one JSON string a line, after a restore; - reads standard input',
    ),
    yes: flagOption('do not ask'),
  },
  help: 'erase an account with all stored data of its person; it cannot be undone',
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
    // The user confirmed each name when it was erased first, and a restore may have no terminal.
    return await eraseListed(await readNames(readPath(list ?? '', '--list'), terminal), terminal);
  },
});

async function eraseOne(name: AccountId, isJson: boolean, terminal: Terminal): Promise<Result> {
  const { outcome, takedowns } = await withComposition(terminal, async ({ administration }) => ({
    outcome: await eraseAccount(administration, name),
    takedowns: await administration.takedownsNaming(name),
  }));
  if (outcome === 'not_found') throw accountNotFound();
  if (isRefused(outcome)) throw new CommandFailure(REFUSED[outcome], 'invalid_state');
  const isErased = outcome === 'erased';
  const report = formatReport(name, isErased, takedowns);
  if (isErased) return report;
  // Print the line now: once the server ends the erasure, the command no longer finds the account.
  printResult(report, isJson, terminal);
  throw new UnavailableError(ARCHIVES_LEFT, { reported: true });
}

function formatReport(name: AccountId, isErased: boolean, takedowns: readonly Takedown[]): Result {
  const named = takedowns.map(({ id, reason }) => ({ id, reason }));
  const listLine = formatAsciiJson(name);
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

/** Erases the accounts of a list; skips names that are unknown. A refusal does not stop the others. */
async function eraseListed(names: readonly ListedName[], terminal: Terminal): Promise<Result> {
  const outcomes = await withComposition(terminal, async ({ administration }) => {
    const eraseOutcomes: Outcome[] = [];
    // One at a time, because each locks many rows.
    for (const { name } of names) eraseOutcomes.push(await eraseAccount(administration, name));
    return eraseOutcomes;
  });
  const count = (wanted: Outcome): number => outcomes.filter((outcome) => outcome === wanted).length;
  const [erased, skipped] = [count('erased'), count('not_found')];
  const text = `${pluralize(erased, 'account')} erased, ${skipped} not there.`;
  const remaining = count('archives_left');
  if (remaining > 0)
    throw new UnavailableError(`${text} Of ${pluralize(remaining, 'account')}, ${ARCHIVES_LEFT}`);
  const [refused] = names.flatMap(({ line }, n) => {
    const outcome = outcomes[n];
    return outcome !== undefined && isRefused(outcome) ? [`line ${line}: ${REFUSED[outcome]}`] : [];
  });
  if (refused === undefined) return { json: { erased, passed_over: skipped }, text };
  throw new CommandFailure(`${text} But ${refused}`, 'invalid_state');
}

type Refused = keyof typeof REFUSED;
type Outcome = 'erased' | 'archives_left' | 'not_found' | Refused;

const REFUSED = {
  is_default: 'the account "default" is never erased',
  is_placeholder: 'this is the placeholder of an erased account',
} as const;

function isRefused(outcome: Outcome): outcome is Refused {
  return outcome in REFUSED;
}

const ARCHIVES_LEFT =
  'archives are left: the storage did not remove them, or another process has claimed them; run the command again in ten minutes, unless a server is running: it continues by itself';

async function eraseAccount(administration: Administration, name: AccountId): Promise<Outcome> {
  const started = await administration.eraseAccount(name, operatorCause());
  if (started.kind === 'erasing') {
    return (await administration.finishErasure(name)) ? 'erased' : 'archives_left';
  }
  if (started.code === 'not_found') return 'not_found';
  return started.state === 'never_erased' ? 'is_default' : 'is_placeholder';
}

/** Escapes characters outside ASCII, which a terminal may not show or copy unchanged. */
function formatAsciiJson(name: string): string {
  return JSON.stringify(name).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function accountNotFound(): CommandFailure {
  const message = 'no account has this name; "pinfold accounts list" lists them';
  return new CommandFailure(message, 'not_found');
}

async function confirmErasure(name: AccountId, { confirm }: Terminal): Promise<void> {
  if (confirm === undefined) throw new UsageError('erase asks on a terminal; without one, add --yes');
  const isWanted = await confirm(
    `Erase account "${name}", all publications and keys included? This cannot be undone.`,
  );
  if (!isWanted) throw new CommandFailure('nothing was erased', 'interrupted');
}

interface ListedName {
  readonly name: AccountId;
  readonly line: number;
}

async function readNames(file: string, terminal: Terminal): Promise<readonly ListedName[]> {
  return (await readLines(file, terminal))
    .map((text, n) => ({ text: text.trim(), line: n + 1 }))
    .filter(({ text }) => text !== '')
    .map(({ text, line }) => {
      const name = parseAccountId(tryParseJson(text) as string);
      if (name !== undefined) return { name, line };
      throw new CommandFailure(`line ${line} is not a JSON string with the name of an account`, 'unreadable');
    });
}
