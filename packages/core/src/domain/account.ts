import type { AccountId, Token } from './identity.ts';
import type { Instant } from './instant.ts';
import { parseRate, type Rate, type RateMark, type RateText } from './rate.ts';
import type { Generation } from './role.ts';

/** The limits of one account. Null: the service's limit applies. */
export interface AccountLimits {
  /** Requests of the API, counted by each process. */
  readonly requests: RateText | null;
  /** New publications, over all nodes. */
  readonly publications: RateText | null;
  /** Publications in service at the same time. */
  readonly sites: number | 'off' | null;
  /** Bytes of the archives of publications in service. */
  readonly bytes: number | 'off' | null;
}

/** Prevents an account from changing anything. Its sites remain in service, or answer like stopped ones. */
export interface Block {
  readonly reason: string;
  readonly sites: 'keep' | 'hide';
  readonly at: Instant;
  /** The account is being erased: its keys and sessions are refused, and it cannot be unblocked. */
  readonly isErasing?: true;
}

/** An owner of roles. */
export interface Account {
  readonly name: AccountId;
  readonly limits: AccountLimits;
  readonly blocked: Block | null;
  /** Grows when its sites are hidden, which ends all grants for them. */
  readonly generation: Generation;
  readonly lastPublishedAt: Instant | null;
  readonly publicationsMark: RateMark | null;
}

/** The usage of an account. */
export interface AccountUse {
  readonly sites: number;
  readonly bytes: number;
  /** Publications in the last 24 hours, in service or not. */
  readonly publications24h: number;
}

/** Limits for the publications of accounts without limits of their own. Null: no limit. */
export interface PublicationLimits {
  readonly publications: Rate | null;
  readonly sites: number | null;
  readonly bytes: number | null;
  /** The same for every account. */
  readonly names: number | null;
}

/** The limits of a new account. */
export const NO_ACCOUNT_LIMITS: AccountLimits = {
  requests: null,
  publications: null,
  sites: null,
  bytes: null,
};

/** Whether a value may be set as a limit of an account. Null restores the service's limit. */
export function isAccountLimit(name: string, value: unknown): boolean {
  if (!Object.hasOwn(NO_ACCOUNT_LIMITS, name)) return false;
  if (value === null || value === 'off') return true;
  if (isQuota(name)) return Number.isSafeInteger(value) && (value as number) >= 0;
  return typeof value === 'string' && parseRate(value) !== undefined;
}

/** Reads a limit as people write it: a rate, a whole number, a size such as `1 GiB`, or `off`; else `undefined`. */
export function parseAccountLimit<Name extends keyof AccountLimits>(
  name: Name,
  text: string,
): NonNullable<AccountLimits[Name]> | undefined {
  const size = name === 'bytes' ? readSize(text) : undefined;
  const value = size ?? (isQuota(name) && /^\d{1,16}$/.test(text) ? Number(text) : text);
  return isAccountLimit(name, value) ? (value as NonNullable<AccountLimits[Name]>) : undefined;
}

/** A size with its unit, rounded down to whole bytes. */
function readSize(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,9}(?:\.\d{1,3})?) ?([KMGT]iB)$/i.exec(text) ?? [];
  return unit === undefined
    ? undefined
    : Math.floor(Number(number) * 1_024 ** ('KMGT'.indexOf(unit.charAt(0).toUpperCase()) + 1));
}

function isQuota(name: string): boolean {
  return name === 'sites' || name === 'bytes';
}

/** The prefix of accounts that own the remains of erased ones. No caller acts as one of them. */
const ERASED_PREFIX = 'erased:';

/** The default account of an embedding team's publications and of the first key; it is never erased. */
const NEVER_ERASED = 'default';

/** Whether an account owns the remains of an erased one. */
export function isErasedAccount(name: string): boolean {
  return name.startsWith(ERASED_PREFIX);
}

/** The account that owns the remains of an erased one. Its name does not reveal the erased one's. */
export function erasedAccount(token: Token): AccountId {
  return `${ERASED_PREFIX}${token}` as AccountId;
}

/** Why an account cannot be erased; `undefined` if it can. */
export function checkErasure(name: AccountId): 'never_erased' | 'erased' | undefined {
  if (name === NEVER_ERASED) return 'never_erased';
  return isErasedAccount(name) ? 'erased' : undefined;
}

/** The block of an account that is being erased. */
export function erasingBlock(at: Instant): Block {
  return { reason: 'The account is being erased.', sites: 'hide', at, isErasing: true };
}

/** The block of the remains of an erased account. */
export function erasedBlock(at: Instant): Block {
  return { reason: 'The account was erased.', sites: 'hide', at };
}
