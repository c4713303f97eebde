import type { AccountId, AccountLimits } from '@pinfold/core';
import type { AccountOutcome, AdministeredAccount, Administration } from '@pinfold/core/administration';
import { parseAccountLimit, toRfc3339 } from '@pinfold/core/internal';
import { accountOf } from '@pinfold/http-express/internal';
import { readAccount, readOperatorText } from '../command-line/arguments.ts';
import { type Command, command, flagOption, type Result, valueOption } from '../command-line/command.ts';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { formatBytes, formatLine, LIST_OPTIONS, pluralize, printList } from '../command-line/print-list.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { everyItem, withComposition } from '../command-line/with-composition.ts';
import { operatorCause } from '../identity.ts';
import { accountNotFound, erase } from './accounts-erase.ts';

const list = command({
  name: 'accounts list',
  options: LIST_OPTIONS,
  help: 'list all accounts with their usage',
  example: 'pinfold accounts list --json',
  guide: 'administration.md',
  run: (_, values, terminal) =>
    withComposition(terminal, ({ administration }) => {
      const accounts = everyItem(administration.listAccounts, ({ accounts }) => accounts);
      return printList(accounts, terminal, { ...values, member: 'accounts', toColumns, toJson: accountOf });
    }),
});

const show = command({
  name: 'accounts show',
  arguments: ['NAME'],
  help: 'show one account with its usage and limits',
  example: 'pinfold accounts show web-team',
  guide: 'administration.md',
  run: ([name], _, terminal) => runOnAccount(name, terminal, requireAccount),
});

const block = command({
  name: 'accounts block',
  arguments: ['NAME'],
  options: {
    reason: valueOption('TEXT', 'the reason, which the account is shown; required'),
    sites: valueOption('keep|hide', 'keep showing its sites, or answer as for stopped ones (default: keep)'),
    create: flagOption('block a name that no account has yet, too'),
  },
  help: 'make an account read-only: it cannot publish or change anything',
  example: 'pinfold accounts block web-team --reason "Phishing, ticket 4711"',
  guide: 'administration.md',
  run: async ([name], { reason: text, sites: choice = 'keep', create }, terminal) => {
    const reason = readOperatorText(text, '--reason');
    const sites = readSites(choice);
    return runOnAccount(name, terminal, async (administration, account) => {
      // A misspelt name would look blocked, while the account is not.
      if (!create) await requireAccount(administration, account);
      return administration.blockAccount(account, { reason, sites }, operatorCause());
    });
  },
});

const unblock = command({
  name: 'accounts unblock',
  arguments: ['NAME'],
  help: 'unblock an account',
  example: 'pinfold accounts unblock web-team',
  guide: 'administration.md',
  run: ([name], _, terminal) =>
    runOnAccount(name, terminal, (administration, account) =>
      administration.unblockAccount(account, operatorCause()),
    ),
});

const LIMITS: Readonly<Record<keyof AccountLimits, string>> = {
  requests: 'a number and a time, such as 600/1h',
  publications: 'a number and a time, such as 600/1h',
  sites: 'a whole number from 0',
  bytes: 'a whole number from 0',
};

const limits = command({
  name: 'accounts limits',
  arguments: ['NAME'],
  options: {
    requests: valueOption('RATE', 'API requests per process, such as 6000/1m'),
    publications: valueOption('RATE', 'new publications, such as 600/1h'),
    sites: valueOption('NUMBER', 'publications in service'),
    bytes: valueOption(
      'NUMBER',
      'bytes of their archives; each limit can also be off (unlimited), or default\n(the limit of all accounts)',
    ),
  },
  help: 'limit what one account may use',
  example: 'pinfold accounts limits web-team --publications 100/1d --sites 200',
  guide: 'limits-of-accounts.md',
  run: async ([name], values, terminal) => {
    const newLimits: Partial<AccountLimits> = {
      ...readLimit('requests', values.requests),
      ...readLimit('publications', values.publications),
      ...readLimit('sites', values.sites),
      ...readLimit('bytes', values.bytes),
    };
    if (Object.keys(newLimits).length === 0) {
      throw new UsageError('--requests, --publications, --sites or --bytes is required');
    }
    return runOnAccount(name, terminal, (administration, account) =>
      administration.limitAccount(account, newLimits, operatorCause()),
    );
  },
});

export const commands: readonly Command[] = [list, show, limits, block, unblock, erase];

function runOnAccount(
  text: string,
  terminal: Terminal,
  change: (administration: Administration, name: AccountId) => Promise<AccountOutcome>,
): Promise<Result> {
  const name = readAccount(text);
  return withComposition(terminal, async ({ administration }) => {
    const account = await change(administration, name);
    if ('code' in account) {
      const message = 'the account is being erased or was erased, so it cannot be changed';
      throw new CommandFailure(message, 'invalid_state');
    }
    return { json: { account: accountOf(account) }, text: formatLine(toColumns(account)) };
  });
}

async function requireAccount(administration: Administration, name: AccountId): Promise<AdministeredAccount> {
  const found = await administration.showAccount(name);
  if (found !== undefined) return found;
  throw accountNotFound();
}

function readSites(text: string): 'keep' | 'hide' {
  if (text === 'keep' || text === 'hide') return text;
  throw new UsageError('--sites must be keep or hide');
}

function readLimit(name: keyof AccountLimits, text: string | undefined): Partial<AccountLimits> {
  if (text === undefined) return {};
  const limit = text === 'default' ? null : parseAccountLimit(name, text);
  if (limit === undefined) throw new UsageError(`--${name} must be off, default, or ${LIMITS[name]}`);
  return { [name]: limit };
}

function toColumns({
  account: { name, blocked, limits, lastPublishedAt },
  used,
}: AdministeredAccount): readonly string[] {
  const ownLimits = Object.entries(limits).filter(([, limit]) => limit !== null);
  return [
    name,
    pluralize(used.sites, 'site'),
    formatBytes(used.bytes),
    `${used.publications24h} published in 24 hours`,
    lastPublishedAt === null ? 'never published' : `last ${toRfc3339(lastPublishedAt)}`,
    ...ownLimits.map(([rule, limit]) => `${rule} ${limit}`),
    ...(blocked?.isErasing === true ? ['is being erased'] : []),
    ...(blocked === null ? [] : [`blocked, sites ${blocked.sites}: ${blocked.reason}`]),
  ];
}
