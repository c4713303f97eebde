import type { LimitAndActual, NoDetails, Refusal, RuleDetails } from '../refusal.ts';
import type { Branded, Sha256 } from './identity.ts';
import type { Limits } from './limits.ts';
import { codePoints, hasBrokenCharacter, hasControlCharacter, type Title } from './text.ts';

/** A caller's name for one publication: printable ASCII, without the double quotes that the header may have. */
export type IdempotencyKey = Branded<string, 'IdempotencyKey'>;

/** The uploaded file's name, reduced to its last path segment. */
export type Filename = Branded<string, 'Filename'>;

/** The SHA-256 of everything that a repeated request must have in common with the first. Stores only compare it. */
export type Fingerprint = Branded<string, 'Fingerprint'>;

/** The rules of an Idempotency-Key. `secret`: it contains the credential of its request. */
export interface IdempotencyKeyRules {
  readonly empty: NoDetails;
  readonly characters: NoDetails;
  readonly too_long: LimitAndActual;
  readonly secret: NoDetails;
}

const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/**
 * Reads an Idempotency-Key from its header. Double quotes around it, the form of the IETF draft, are removed. `secret` is
 * the credential of the same request, which the key must not contain.
 */
export function parseIdempotencyKey(
  value: string,
  limits: Pick<Limits, 'idempotencyKeyCharacters'>,
  secret?: string,
): IdempotencyKey | Refusal<'invalid_idempotency_key'> {
  const key = checkIdempotencyKey(/^"(.*)"$/s.exec(value)?.[1] ?? value, limits);
  return secret && typeof key === 'string' && key.includes(secret) ? invalid({ rule: 'secret' }) : key;
}

/** Validates a text as an Idempotency-Key; double quotes belong to it. */
export function checkIdempotencyKey(
  key: string,
  limits: Pick<Limits, 'idempotencyKeyCharacters'>,
): IdempotencyKey | Refusal<'invalid_idempotency_key'> {
  if (key === '') return invalid({ rule: 'empty' });
  if (typeof key !== 'string' || !PRINTABLE_ASCII.test(key)) return invalid({ rule: 'characters' });
  const limit = limits.idempotencyKeyCharacters;
  if (key.length > limit) return invalid({ rule: 'too_long', limit, actual: key.length });
  return key as IdempotencyKey;
}

/** Reads an uploaded file's name: its last segment (after `/` or `\`), 1 to 255 characters, no control character. */
export function parseFilename(value: string): Filename | Refusal<'invalid_filename'> {
  const name = typeof value === 'string' ? value.split(/[/\\]/).at(-1) : undefined;
  const wrong = !name || codePoints(name) > 255 || hasControlCharacter(name) || hasBrokenCharacter(name);
  return wrong ? { kind: 'refused', code: 'invalid_filename' } : (name as Filename);
}

/** The text to hash for a fingerprint. Only the hash is stored, since file name and title are dropped earlier. */
export function fingerprintedText(sha256: Sha256, filename: Filename, title: Title | null): string {
  return JSON.stringify([sha256, filename, title]);
}

function invalid(details: RuleDetails<IdempotencyKeyRules>): Refusal<'invalid_idempotency_key'> {
  return { kind: 'refused', code: 'invalid_idempotency_key', ...details };
}
