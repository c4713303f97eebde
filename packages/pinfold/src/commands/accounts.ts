import type { AccountId, AccountLimits } from '@pinfold/core';
import { toRfc3339 } from '@pinfold/core/adapter';
import {
  type AdministeredAccount,
  type Administration,
  parseAccountLimit,
} from '@pinfold/core/administration';
import { accountOf } from '@pinfold/http-express';
import { readAccount, readArguments } from '../command-line/arguments.ts';
import { byCommand } from '../command-line/by-command.ts';
import { jsonLine, shownText } from '../command-line/escape-control-characters.ts';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { OPTIONS } from '../command-line/options.ts';
import { counted } from '../command-line/pluralize.ts';
import { readReason } from '../command-line/reason.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { everyItem } from './every-item.ts';

/** `pinfold accounts list | show | block | unblock | limits` */
export async function accounts([action, ...args]: readonly string[], terminal: Terminal): Promise<void> {
  switch (action) {
    case 'list':
      return await list(args, terminal);
    case 'show':
      return await show(args, terminal);
    case 'block':
      return await block(args, terminal);
    case 'unblock':
      return await unblock(args, terminal);
    case 'limits':
      return await limits(args, terminal);
    default:
      throw new UsageError('accounts takes list, show, block, unblock or limits');
  }
}

async function list(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = readArguments(args, [], {});
  await withComposition(terminal, async ({ administration }) => {
    const told: AdministeredAccount[] = [];
    for await (const account of everyItem(administration.listAccounts, ({ accounts }) => accounts)) {
      if (values.json) told.push(account);
      else terminal.out(lineOf(account));
    }
    if (values.json) terminal.out(jsonLine({ accounts: told.map(accountOf) }));
  });
}

async function show(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readArguments(args, ['NAME'], {});
  const name = readAccount(positionals[0] ?? '');
  const found = await withComposition(terminal, ({ administration }) => administration.showAccount(name));
  if (found === undefined) {
    throw new CommandFailure('there is no account of this name; "pinfold accounts list" lists them');
  }
  tell(found, values.json, terminal);
}

async function block(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readArguments(args, ['NAME'], OPTIONS['accounts block']);
  const reason = readReason(values.reason);
  const sites = readSites(values.sites ?? 'keep');
  await change(positionals, values.json, terminal, ({ blockAccount }, name) =>
    blockAccount(name, { reason, sites }, byCommand()),
  );
}

async function unblock(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readArguments(args, ['NAME'], {});
  await change(positionals, values.json, terminal, ({ unblockAccount }, name) =>
    unblockAccount(name, byCommand()),
  );
}

async function limits(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readArguments(args, ['NAME'], OPTIONS['accounts limits']);
  const wanted: Partial<AccountLimits> = {
    ...readLimit('requests', values.requests),
    ...readLimit('publications', values.publications),
    ...readLimit('sites', values.sites),
    ...readLimit('bytes', values.bytes),
  };
  if (Object.keys(wanted).length === 0) {
    throw new UsageError('accounts limits takes --requests, --publications, --sites or --bytes');
  }
  await change(positionals, values.json, terminal, ({ limitAccount }, name) =>
    limitAccount(name, wanted, byCommand()),
  );
}

async function change(
  [text = '']: readonly string[],
  json: boolean | undefined,
  terminal: Terminal,
  act: (administration: Administration, name: AccountId) => Promise<AdministeredAccount>,
): Promise<void> {
  const name = readAccount(text);
  const changed = await withComposition(terminal, ({ administration }) => act(administration, name));
  tell(changed, json, terminal);
}

function tell(account: AdministeredAccount, json: boolean | undefined, { out }: Terminal): void {
  out(json ? jsonLine({ account: accountOf(account) }) : lineOf(account));
}

function readSites(text: string): 'keep' | 'hide' {
  if (text === 'keep' || text === 'hide') return text;
  throw new UsageError('--sites takes keep or hide');
}

const LIMITS: Readonly<Record<keyof AccountLimits, string>> = {
  requests: 'a number and a time, such as 600/1h',
  publications: 'a number and a time, such as 600/1h',
  sites: 'a whole number from 0',
  bytes: 'a whole number from 0',
};

function readLimit(name: keyof AccountLimits, text: string | undefined): Partial<AccountLimits> {
  if (text === undefined) return {};
  const limit = text === 'default' ? null : parseAccountLimit(name, text);
  if (limit === undefined) throw new UsageError(`--${name} takes off, default, or ${LIMITS[name]}`);
  return { [name]: limit };
}

function lineOf({ account: { name, blocked, limits, lastPublishedAt }, used }: AdministeredAccount): string {
  const set = Object.entries(limits).filter(([, limit]) => limit !== null);
  const facts = [
    name,
    counted(used.sites, 'site'),
    `${used.bytes} bytes`,
    `${used.publications24h} published in 24 hours`,
    lastPublishedAt === null ? 'never published' : `last ${toRfc3339(lastPublishedAt)}`,
    ...set.map(([rule, limit]) => `${rule} ${limit}`),
    ...(blocked === null ? [] : [`blocked, sites ${blocked.sites}: ${blocked.reason}`]),
  ];
  return shownText(facts.join('  '));
}
