import type { NameQuotaExceeded, Refusal } from '../refusal.ts';
import type { PublicationLimits } from './account.ts';
import type { AccountId, Branded, RoleId } from './identity.ts';
import type { Instant } from './instant.ts';
import { type Role, type RoleState, stateOf } from './role.ts';
import { MAX_WARNINGS, type Warning } from './warnings.ts';

/** A name of an account for one of its publications: 1 to 63 of `a` to `z`, `0` to `9` and `-`, with no `-` at either end. */
export type PinName = Branded<string, 'PinName'>;

/** The unguessable part of a name's address: 22 characters of base62, different for each name. */
export type NameToken = Branded<string, 'NameToken'>;

/** A name as it is stored. */
export interface NameRecord {
  readonly account: AccountId;
  readonly name: PinName;
  /** Made with the name; never changes. */
  readonly token: NameToken;
  /** The role that it shows, in any state. */
  readonly role: RoleId;
  /** The role that it showed before it was last moved to another one; null if it never was. */
  readonly previous: RoleId | null;
  /** When it was created or last moved. */
  readonly updatedAt: Instant;
}

/** A name, and when the role that it shows ends or has ended. */
export interface ShownName {
  readonly name: NameRecord;
  readonly role: Pick<Role, 'deletedAt' | 'expiresAt'>;
}

/** A name as use cases answer it. */
export interface Name {
  readonly name: PinName;
  /** The URL for viewers; without an origin if the use cases do not know the public URL. */
  readonly url: string;
  readonly pin: RoleId;
  readonly updatedAt: Instant;
  /** The state of the publication that it shows, at the moment of the answer. */
  readonly pinState: RoleState;
  /** When that publication expires; null while it is pinned. */
  readonly pinExpiresAt: Instant | null;
  /** The publication that it showed before it was last moved; null if it never was. */
  readonly previous: RoleId | null;
}

/** The names of an account while one of them is about to be pointed at a role. */
export interface NamesInUse {
  readonly count: number;
  /** The role that the name shows; undefined if the name is new. */
  readonly shown: { readonly id: RoleId; readonly isProtected: boolean } | undefined;
}

export const DEFAULT_NAME_LIMIT = 1_000;

const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const TOKEN = /^[0-9A-Za-z]{22}$/;
/** An account that has this share of its names is warned. */
const WARNING_SHARE = 0.9;

/** Parses a name: 1 to 63 of `a` to `z`, `0` to `9` and `-`, which is neither first nor last. */
export function parseName(text: string): PinName | Refusal<'invalid_name'> {
  // Callers without types may pass anything: a database would store the number 5 as `5.0`.
  return typeof text === 'string' && NAME.test(text)
    ? (text as PinName)
    : { kind: 'refused', code: 'invalid_name' };
}

/** Reads the last segment of a name's address: the token follows the last `-` and alone identifies the name. */
export function parseNameSegment(
  segment: string,
): { readonly spelling: string; readonly token: NameToken } | undefined {
  const dash = segment.lastIndexOf('-');
  const token = segment.slice(dash + 1);
  return dash === -1 || !TOKEN.test(token)
    ? undefined
    : { spelling: segment.slice(0, dash), token: token as NameToken };
}

export function parseNameToken(text: string): NameToken | undefined {
  return TOKEN.test(text) ? (text as NameToken) : undefined;
}

export function nameSegment({ name, token }: Pick<NameRecord, 'name' | 'token'>): string {
  return `${name}-${token}`;
}

/** The address of a name below a public URL, which has no slash at its end. */
export function nameUrlBelow(publicUrl: string, name: Pick<NameRecord, 'name' | 'token'>): string {
  return `${publicUrl}/n/${nameSegment(name)}`;
}

export function checkNameLimit(
  { count, shown }: NamesInUse,
  limit: number | null,
): NameQuotaExceeded | undefined {
  if (shown !== undefined || limit === null || count < limit) return undefined;
  return { kind: 'refused', code: 'quota_exceeded', rule: 'names', limit, actual: count + 1 };
}

/**
 * Decides whether an account may point a name at a role, and whether that creates the name, moves it or changes nothing.
 * Stores call this in the transaction of the change, in which neither the role nor the names of the account can change.
 *
 * @param role undefined if the account has no role of that id.
 */
export function decideName(
  role: Pick<Role, 'id' | 'deletedAt' | 'expiresAt'> | undefined,
  names: NamesInUse,
  { now, limit }: { readonly now: Instant; readonly limit: number | null },
):
  | { readonly kind: 'created' | 'moved' | 'unchanged' }
  | Refusal<'not_found' | 'invalid_state'>
  | NameQuotaExceeded {
  if (role === undefined) return { kind: 'refused', code: 'not_found' };
  const state = stateOf(role, now);
  if (state !== 'published') return { kind: 'refused', code: 'invalid_state', state };
  if (names.shown === undefined) return checkNameLimit(names, limit) ?? { kind: 'created' };
  return { kind: names.shown.id === role.id ? 'unchanged' : 'moved' };
}

/** Adds, as the first ones, the warnings that only the commit can decide, from the account's names before it. */
export function withNameWarnings(
  warnings: readonly Warning[],
  role: Pick<Role, 'passwordHash'>,
  { count, shown }: NamesInUse,
  { names: limit }: Pick<PublicationLimits, 'names'>,
): readonly Warning[] {
  const used = shown === undefined ? count + 1 : count;
  const added: Warning[] = [];
  if (shown?.isProtected && role.passwordHash === null) added.push({ rule: 'password_dropped' });
  if (limit !== null && used >= limit * WARNING_SHARE)
    added.push({ rule: 'names_nearly_full', used, most: limit });
  return [...added, ...warnings].slice(0, MAX_WARNINGS);
}
