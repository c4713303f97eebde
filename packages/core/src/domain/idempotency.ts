import type { LimitAndActual, NoDetails, Refusal, RuleDetails } from '../refusal.ts';
import type { Branded } from './identity.ts';
import type { Limits } from './limits.ts';
import { codePoints, hasBrokenCharacter, hasControlCharacter, type Title } from './text.ts';

const BLOCK = 64;
/** The length of the message follows its last bytes as 64 bits. */
const LENGTH = 8;

/** The first 32 bits of the fractional parts of a root of the first primes (FIPS 180-4, sections 4.2.2 and 5.3.3). */
function fractions(count: number, root: (prime: number) => number): Uint32Array {
  const bits = new Uint32Array(count);
  for (let candidate = 2, found = 0; found < count; candidate += 1) {
    if (!isPrime(candidate)) continue;
    const value = root(candidate);
    bits[found] = Math.floor((value - Math.floor(value)) * 2 ** 32);
    found += 1;
  }
  return bits;
}

function isPrime(candidate: number): boolean {
  for (let divisor = 2; divisor * divisor <= candidate; divisor += 1) {
    if (candidate % divisor === 0) return false;
  }
  return true;
}

const INITIAL = fractions(8, Math.sqrt);
const ROUNDS = fractions(BLOCK, Math.cbrt);

/** The SHA-256 of a text in UTF-8, for texts of a few kilobytes: a host's own digest is faster, and answers later. */
export function sha256Of(text: string): Sha256 {
  const message = padded(utf8Of(text));
  const view = new DataView(message.buffer);
  const state = INITIAL.slice();
  const words = new Uint32Array(BLOCK);
  for (let from = 0; from < message.length; from += BLOCK) {
    expand(words, view, from);
    compress(state, words);
  }
  return [...state].map((word) => word.toString(16).padStart(8, '0')).join('') as Sha256;
}

/** By the escapes of a URI, which are bytes of UTF-8. */
function utf8Of(text: string): Uint8Array {
  const parts = encodeURIComponent(text.toWellFormed()).match(/%..|./g) ?? [];
  return Uint8Array.from(parts, (part) =>
    part.length === 1 ? part.charCodeAt(0) : Number.parseInt(part.slice(1), 16),
  );
}

function padded(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(Math.ceil((bytes.length + 1 + LENGTH) / BLOCK) * BLOCK);
  message.set(bytes);
  message[bytes.length] = 0x80;
  new DataView(message.buffer).setBigUint64(message.length - LENGTH, BigInt(bytes.length) * 8n);
  return message;
}

/** The message schedule of one block (FIPS 180-4, section 6.2.2, step 1). */
function expand(words: Uint32Array, view: DataView, from: number): void {
  const word = (n: number): number => words[n] ?? 0;
  for (let n = 0; n < 16; n += 1) words[n] = view.getUint32(from + 4 * n);
  for (let n = 16; n < BLOCK; n += 1) {
    const [early, late] = [word(n - 15), word(n - 2)];
    const first = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
    const second = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
    words[n] = word(n - 16) + first + word(n - 7) + second;
  }
}

/** The rounds of one block (FIPS 180-4, section 6.2.2, steps 2 to 4). */
function compress(state: Uint32Array, words: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  words.forEach((word, n) => {
    const first =
      h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g)) + (ROUNDS[n] ?? 0) + word;
    const second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  });
  [a, b, c, d, e, f, g, h].forEach((word, n) => {
    state[n] = (state[n] ?? 0) + word;
  });
}

function rotated(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

/** A caller's name for one logical publication: printable ASCII, without the double quotes it may have come in. */
export type IdempotencyKey = Branded<string, 'IdempotencyKey'>;

/** SHA-256 of the ZIP's bytes in 64 lower-case hexadecimal digits. */
export type Sha256 = Branded<string, 'Sha256'>;

export const SHA256: RegExp = /^[0-9a-f]{64}$/;

/** The uploaded file's name, reduced to its last path segment. */
export type Filename = Branded<string, 'Filename'>;

/** The SHA-256 of all that must be the same in a repeated request: stores compare it for equality only. */
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
 * Reads an Idempotency-Key as a header has it. A value in double quotes, the form of the IETF draft, counts without
 * them. `secret` is the credential of the same request, which the key must not contain.
 */
export function parseIdempotencyKey(
  value: string,
  limits: Pick<Limits, 'idempotencyKeyCharacters'>,
  secret?: string,
): IdempotencyKey | Refusal<'invalid_idempotency_key'> {
  const key = checkIdempotencyKey(/^"(.*)"$/s.exec(value)?.[1] ?? value, limits);
  return secret && typeof key === 'string' && key.includes(secret) ? invalid({ rule: 'secret' }) : key;
}

/** Takes a text as an Idempotency-Key, quotes and all. */
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

/**
 * Reads the name of the uploaded file: its last path segment, where `/` and `\` both separate. It has 1 to 255
 * characters, none of them a control character.
 */
export function parseFilename(value: string): Filename | Refusal<'invalid_filename'> {
  const name = typeof value === 'string' ? value.split(/[/\\]/).at(-1) : undefined;
  const wrong = !name || codePoints(name) > 255 || hasControlCharacter(name) || hasBrokenCharacter(name);
  return wrong ? { kind: 'refused', code: 'invalid_filename' } : (name as Filename);
}

/** A hash, because it is stored longer than the file name and the title. */
export function fingerprintOf(sha256: Sha256, filename: Filename, title: Title | null): Fingerprint {
  return sha256Of(JSON.stringify([sha256, filename, title])) as string as Fingerprint;
}

function invalid(details: RuleDetails<IdempotencyKeyRules>): Refusal<'invalid_idempotency_key'> {
  return { kind: 'refused', code: 'invalid_idempotency_key', ...details };
}
