import { type AccountId, accountId, type Instant, instant, parseName, type RoleState } from '@pinfold/core';
import { isErasedAccount, isOperatorText, parseRoleState, ROLE_STATES } from '@pinfold/core/internal';
import { refusalText } from '../publishing/refusal-text.ts';
import { UsageError } from './failures.ts';
import { stateText } from './print-list.ts';

/** Reads a path. An empty one comes from an unset variable, and would mean the current folder. */
export function readPath(text: string, name: string): string {
  if (text === '') throw new UsageError(`${name} is missing`);
  return text;
}

/** Refuses a text that a terminal in another encoding than UTF-8 gave: two names would become one. */
export function readWhole(text: string, name: string): string {
  if (text.includes('\u{fffd}')) throw new UsageError(`${name} is not in UTF-8, or has the character U+FFFD`);
  return text;
}

export function readAccount(name: string): AccountId {
  try {
    return accountId(readWhole(name, 'the name of the account'));
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** Reads an account for a person to act as. The remains of an erased account are none. */
export function readActingAccount(name: string): AccountId {
  const account = readAccount(name);
  if (!isErasedAccount(account)) return account;
  throw new UsageError('the account was erased: nobody acts as what stays of it');
}

/** One thing by its id, or all things of an account, or of all accounts if `account` is undefined. */
export type OneOrAll = { readonly id: string } | { readonly account: AccountId | undefined };

/** @throws UsageError unless exactly one of the argument ID, `--account` and `--all` is given. */
export function readOneOrAll(
  id: string | undefined,
  { account, all }: { readonly account?: string | undefined; readonly all?: boolean | undefined },
): OneOrAll {
  if ([id, account, all].filter((given) => given !== undefined).length !== 1)
    throw new UsageError('exactly one of ID, --account and --all is required');
  if (id !== undefined) return { id };
  return { account: account === undefined ? undefined : readAccount(account) };
}

export function readName(text: string, option: string): string {
  const name = parseName(text);
  if (typeof name === 'string') return name;
  throw new UsageError(`${option}: ${refusalText(name)}`);
}

/** Reads the value of `--state`. People read `stopped` where JSON has `deleted`; `--state` takes both. */
export function readState(text: string): RoleState {
  const state = text === 'stopped' ? 'deleted' : parseRoleState(text);
  if (state !== undefined) return state;
  throw new UsageError(`--state must be one of ${ROLE_STATES.map(stateText).join(', ')}`);
}

/** Reads a text of the operator that other people read: `--reason` or `--message`. */
export function readOperatorText(text: string | undefined, option: string): string {
  if (isOperatorText(text)) return readWhole(text, option);
  if (text === undefined) throw new UsageError(`${option} is missing`);
  throw new UsageError(`${option} needs 1 to 255 characters without control characters`);
}

const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Reads a time: an instant, or a duration before now, or after it, such as `1h`. */
export function readTime(
  text: string,
  option: string,
  now: number,
  side: 'before' | 'after' = 'before',
): Instant {
  const [, count, unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  const isInstant = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const at =
    count === undefined
      ? Date.parse(isInstant ? text : '')
      : now + Number(count) * (UNITS[unit] ?? 0) * (side === 'before' ? -1 : 1);
  if (!Number.isNaN(at)) return instant(Math.max(0, at));
  throw new UsageError(
    `${option} must be a duration such as 1h or 7d, or a time such as 2026-11-20 or 2026-11-20T09:30Z`,
  );
}

/** A whole number in an option; `undefined` where it is not given. */
export function readNumber(option: string, text: string | undefined, least = 0): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^\d{1,9}$/.test(text) || number < least)
    throw new UsageError(`--${option} must be a whole number${least === 0 ? '' : ` from ${least}`}`);
  return number;
}
