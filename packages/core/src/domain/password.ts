import type { LimitAndActual, NoDetails, Refusal, RuleDetails } from '../refusal.ts';
import type { Branded } from './identity.ts';
import { type Duration, type Instant, seconds } from './instant.ts';
import type { Limits } from './limits.ts';
import { codePoints, utf8Length } from './text.ts';

/** A password ready for hashing, in NFC. */
export type Password = Branded<string, 'Password'>;

/** A hashed password: opaque, with its method and parameters. */
export type PasswordHash = Branded<string, 'PasswordHash'>;

/** Replaces the hash of a password once the archive was removed: says that there was one, and matches no guess. */
export const DROPPED_HASH: PasswordHash = '' as PasswordHash;

/** The stored hash once the archive was removed. */
export function withoutHash(hash: PasswordHash | null): PasswordHash | null {
  return hash === null ? null : DROPPED_HASH;
}

/** The rules of a password: a minimum of characters and a maximum of bytes. */
export interface PasswordRules {
  readonly type: NoDetails;
  readonly encoding: NoDetails;
  readonly too_short: LimitAndActual;
  readonly too_long: LimitAndActual;
}

/** The longest guess to hash, in bytes of UTF-8 as sent. */
const MAX_GUESS_LENGTH = 1_024;

/** Reads a new password; the empty string and null both remove the protection. Limits count the string as sent. */
export function parsePassword(
  value: unknown,
  limits: Pick<Limits, 'passwordMinCharacters' | 'passwordMaxBytes'>,
): Password | null | Refusal<'invalid_password'> {
  if (value === null || value === '') return null;
  if (typeof value !== 'string') return invalid({ rule: 'type' });
  if (!value.isWellFormed()) return invalid({ rule: 'encoding' });
  const characters = codePoints(value);
  const { passwordMinCharacters, passwordMaxBytes } = limits;
  if (characters < passwordMinCharacters) {
    return invalid({ rule: 'too_short', limit: passwordMinCharacters, actual: characters });
  }
  const bytes = utf8Length(value);
  if (bytes > passwordMaxBytes) return invalid({ rule: 'too_long', limit: passwordMaxBytes, actual: bytes });
  return value.normalize('NFC') as Password;
}

/** Reads a viewer's guess; `undefined` if it cannot be a password and needs no hashing. */
export function parseGuess(value: string): Password | undefined {
  if (value === '' || !value.isWellFormed() || utf8Length(value) > MAX_GUESS_LENGTH) return undefined;
  return value.normalize('NFC') as Password;
}

function invalid(details: RuleDetails<PasswordRules>): Refusal<'invalid_password'> {
  return { kind: 'refused', code: 'invalid_password', ...details };
}

/** The age from which an unsettled try counts as wrong: its process died. */
export const MAX_UNSETTLED: Duration = seconds(60);

/** The counts of a window that has not ended, and its limit. */
export interface AttemptWindow {
  readonly endsAt: Instant;
  /** All tries of the window: wrong ones, and those under way. */
  readonly tries: number;
  /** Unsettled tries that began less than {@link MAX_UNSETTLED} ago. */
  readonly underWay: number;
  readonly limit: number;
}

/** `limited`: too many wrong tries, until their window ends; `busy`: too many under way. */
export type AttemptRefusal =
  | { readonly kind: 'limited'; readonly until: Instant }
  | { readonly kind: 'busy' };

/** Checks whether one more try is admitted in the open windows that would count it. */
export function checkAttempt(open: readonly AttemptWindow[]): AttemptRefusal | undefined {
  const ends = open
    .filter(({ tries, underWay, limit }) => tries - underWay >= limit)
    .map(({ endsAt }) => endsAt);
  if (ends.length > 0) return { kind: 'limited', until: Math.max(...ends) as Instant };
  return open.some(({ tries, limit }) => tries >= limit) ? { kind: 'busy' } : undefined;
}
