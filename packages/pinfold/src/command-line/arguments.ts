import { type AccountId, accountId, type Instant, instant, parseName, type RoleState } from '@pinfold/core';
import { isErasedAccount, isOperatorText, parseRoleState, ROLE_STATES } from '@pinfold/core/internal';
import { formatRefusal } from '../publishing/refusal-text.ts';
import { UsageError } from './failures.ts';
import { formatState } from './print-list.ts';

/** Rejects an empty path: an unset variable of a script would mean the current folder. */
export function readPath(text: string, name: string): string {
  if (text === '') throw new UsageError(`${name} is missing`);
  return text;
}

/** Rejects a text that was not UTF-8: decoding replaces unknown bytes, so two names could become the same. */
export function rejectReplacedText(text: string, name: string): string {
  if (text.includes('\u{fffd}')) throw new UsageError(`${name} is not in UTF-8, or has the character U+FFFD`);
  return text;
}

export function readAccount(name: string): AccountId {
  try {
    return accountId(rejectReplacedText(name, 'the name of the account'));
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** Reads an account to act as; rejects the placeholder that replaces an erased account. */
export function readActingAccount(name: string): AccountId {
  const account = readAccount(name);
  if (!isErasedAccount(account)) return account;
  throw new UsageError('the account was erased, so no one can act as it');
}

/** One item by its id, all items of an account, or all items if `account` is undefined. */
export type OneOrAll = { readonly id: string } | { readonly account: AccountId | undefined };

/** @throws UsageError unless exactly one of the argument ID, `--account` and `--all` is given. */
export function readOneOrAll(
  id: string | undefined,
  { account, all }: { readonly account?: string | undefined; readonly all?: boolean | undefined },
): OneOrAll {
  if ([id, account, all].filter((value) => value !== undefined).length !== 1)
    throw new UsageError('exactly one of ID, --account and --all is required');
  if (id !== undefined) return { id };
  return { account: account === undefined ? undefined : readAccount(account) };
}

export function readName(text: string, option: string): string {
  const name = parseName(text);
  if (typeof name === 'string') return name;
  throw new UsageError(`${option}: ${formatRefusal(name)}`);
}

/** Reads the value of `--state`. Accepts `stopped`, which people see, and `deleted`, which JSON has. */
export function readState(text: string): RoleState {
  const state = text === 'stopped' ? 'deleted' : parseRoleState(text);
  if (state !== undefined) return state;
  throw new UsageError(`--state must be one of ${ROLE_STATES.map(formatState).join(', ')}`);
}

/** Reads a `--reason` or `--message` of the operator. */
export function readOperatorText(text: string | undefined, option: string): string {
  if (isOperatorText(text)) return rejectReplacedText(text, option);
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

/** Reads an instant, or a duration such as `1h` before or after now. */
export function readTime(
  text: string,
  option: string,
  now: number,
  direction: 'before' | 'after' = 'before',
): Instant {
  const [, count, unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  const isInstant = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const at =
    count === undefined
      ? Date.parse(isInstant ? text : '')
      : now + Number(count) * (UNITS[unit] ?? 0) * (direction === 'before' ? -1 : 1);
  if (!Number.isNaN(at)) return instant(Math.max(0, at));
  throw new UsageError(
    `${option} must be a duration such as 1h or 7d, or a time such as 2026-11-20 or 2026-11-20T09:30Z`,
  );
}

/** Reads a whole number; `undefined` if the option is absent. */
export function readNumber(option: string, text: string | undefined, min = 0): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^\d{1,9}$/.test(text) || number < min)
    throw new UsageError(`--${option} must be a whole number${min === 0 ? '' : ` from ${min}`}`);
  return number;
}
