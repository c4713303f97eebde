import { type Problem, type Refusal, refuse } from '../refusal.ts';
import type { Branded } from './brand.ts';
import type { Limits } from './limits.ts';
import { codePoints, hasLoneSurrogate, utf8Length } from './text.ts';

/** A password ready for hashing: in NFC, all of whose bytes count. */
export type Password = Branded<string, 'Password'>;

/** What a hasher stores of a password: opaque, and names its own method and parameters. */
export type PasswordHash = Branded<string, 'PasswordHash'>;

/** The longest guess that is worth hashing, in bytes of UTF-8 as sent. */
const LONGEST_GUESS = 1_024;

/** Reads a new password; the empty string and null both mean that protection ends. Limits count the string as sent. */
export function parsePassword(
  value: unknown,
  limits: Pick<Limits, 'passwordMinCharacters' | 'passwordMaxBytes'>,
): Password | null | Refusal<'invalid_password'> {
  if (value === null || value === '') return null;
  if (typeof value !== 'string') return invalid('type', 'The password must be a string or null.');
  if (hasLoneSurrogate(value)) return invalid('encoding', 'The password must be whole Unicode characters.');
  const characters = codePoints(value);
  if (characters < limits.passwordMinCharacters) {
    const limit = limits.passwordMinCharacters;
    return invalid('too_short', `The password needs at least ${limit} characters.`, {
      limit,
      actual: characters,
    });
  }
  const bytes = utf8Length(value);
  if (bytes > limits.passwordMaxBytes) {
    const limit = limits.passwordMaxBytes;
    return invalid('too_long', `The password has more than ${limit} bytes in UTF-8.`, {
      limit,
      actual: bytes,
    });
  }
  return value.normalize('NFC') as Password;
}

/** Reads a viewer's guess; `undefined` when it cannot be any password and needs no hashing. */
export function parseGuess(value: string): Password | undefined {
  if (value === '' || hasLoneSurrogate(value) || utf8Length(value) > LONGEST_GUESS) return undefined;
  return value.normalize('NFC') as Password;
}

function invalid(
  rule: string,
  detail: string,
  figures: Pick<Problem, 'limit' | 'actual'> = {},
): Refusal<'invalid_password'> {
  return refuse('invalid_password', { errors: [{ rule, detail, ...figures }] });
}
