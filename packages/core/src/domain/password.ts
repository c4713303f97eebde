import type { LimitAndActual, NoDetails, Refusal, RuleDetails } from '../refusal.ts';
import type { Branded } from './identity.ts';
import { type Duration, type Instant, seconds } from './instant.ts';
import type { Limits } from './limits.ts';
import { codePoints, hasLoneSurrogate, utf8Length } from './text.ts';

/** A password ready for hashing: in NFC, all of whose bytes count. */
export type Password = Branded<string, 'Password'>;

/** A hashed password: opaque, and contains its own method and parameters. */
export type PasswordHash = Branded<string, 'PasswordHash'>;

/** Stands for the hash of a password whose archive was removed: there was one, and no guess fits it. */
export const DROPPED_HASH: PasswordHash = '' as PasswordHash;

/** What is stored of a password once its archive was removed. */
export function withoutHash(hash: PasswordHash | null): PasswordHash | null {
  return hash === null ? null : DROPPED_HASH;
}

/** The rules of a password: of its characters it must have enough, of its bytes not too many. */
export interface PasswordRules {
  readonly type: NoDetails;
  readonly encoding: NoDetails;
  readonly too_short: LimitAndActual;
  readonly too_long: LimitAndActual;
}

/** The longest guess that is worth hashing, in bytes of UTF-8 as sent. */
const MAX_GUESS_LENGTH = 1_024;

/** Reads a new password; the empty string and null both mean that protection ends. Limits count the string as sent. */
export function parsePassword(
  value: unknown,
  limits: Pick<Limits, 'passwordMinCharacters' | 'passwordMaxBytes'>,
): Password | null | Refusal<'invalid_password'> {
  if (value === null || value === '') return null;
  if (typeof value !== 'string') return invalid({ rule: 'type' });
  if (hasLoneSurrogate(value)) return invalid({ rule: 'encoding' });
  const characters = codePoints(value);
  const { passwordMinCharacters: least, passwordMaxBytes: most } = limits;
  if (characters < least) return invalid({ rule: 'too_short', limit: least, actual: characters });
  const bytes = utf8Length(value);
  if (bytes > most) return invalid({ rule: 'too_long', limit: most, actual: bytes });
  return value.normalize('NFC') as Password;
}

/** Reads a viewer's guess; `undefined` when it cannot be any password and needs no hashing. */
export function parseGuess(value: string): Password | undefined {
  if (value === '' || hasLoneSurrogate(value) || utf8Length(value) > MAX_GUESS_LENGTH) return undefined;
  return value.normalize('NFC') as Password;
}

function invalid(details: RuleDetails<PasswordRules>): Refusal<'invalid_password'> {
  return { kind: 'refused', code: 'invalid_password', ...details };
}

/** The age from which an unsettled try counts as wrong: its process died. */
export const MAX_UNSETTLED: Duration = seconds(60);

/** The counts of an open window, and its limit. */
export interface AttemptWindow {
  readonly endsAt: Instant;
  /** Every try of the window: wrong ones, and those under way. */
  readonly tries: number;
  /** Unsettled tries that began less than {@link MAX_UNSETTLED} ago. */
  readonly underWay: number;
  readonly limit: number;
}

/** `limited`: too many wrong tries, until their window ends; `busy`: too many under way. */
export type AttemptRefusal =
  | { readonly kind: 'limited'; readonly until: Instant }
  | { readonly kind: 'busy' };

/** Judges a try by the open windows that it would be counted in; `undefined` when it is admitted. */
export function refuseAttempt(open: readonly AttemptWindow[]): AttemptRefusal | undefined {
  const ends = open
    .filter(({ tries, underWay, limit }) => tries - underWay >= limit)
    .map(({ endsAt }) => endsAt);
  if (ends.length > 0) return { kind: 'limited', until: Math.max(...ends) as Instant };
  return open.some(({ tries, limit }) => tries >= limit) ? { kind: 'busy' } : undefined;
}
