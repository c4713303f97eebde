import type { Branded } from './identity.ts';

/** A SHA-256 in 64 lower-case hexadecimal digits. */
export type Sha256 = Branded<string, 'Sha256'>;

export const SHA256: RegExp = /^[0-9a-f]{64}$/;

const BLOCK_BYTES = 64;
/** The length of the message stands at its end, in 64 bits. */
const LENGTH_BYTES = 8;

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
const ROUNDS = fractions(BLOCK_BYTES, Math.cbrt);

/** The SHA-256 of a text in UTF-8. For texts of a few kilobytes: the digest of a runtime is faster, but asynchronous. */
export function sha256Of(text: string): Sha256 {
  const message = padded(utf8Of(text));
  const view = new DataView(message.buffer);
  const state = INITIAL.slice();
  const words = new Uint32Array(BLOCK_BYTES);
  for (let from = 0; from < message.length; from += BLOCK_BYTES) {
    expand(words, view, from);
    compress(state, words);
  }
  return [...state].map((word) => word.toString(16).padStart(8, '0')).join('') as Sha256;
}

/** UTF-8 without `TextEncoder`, which the core does not have: the escapes of a URI are bytes of UTF-8. */
function utf8Of(text: string): Uint8Array {
  const bytes = encodeURIComponent(text.toWellFormed()).replace(/%../g, (escaped) =>
    String.fromCharCode(Number.parseInt(escaped.slice(1), 16)),
  );
  return new Uint8Array(bytes.length).map((_, n) => bytes.charCodeAt(n));
}

function padded(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(Math.ceil((bytes.length + 1 + LENGTH_BYTES) / BLOCK_BYTES) * BLOCK_BYTES);
  message.set(bytes);
  message[bytes.length] = 0x80;
  new DataView(message.buffer).setBigUint64(message.length - LENGTH_BYTES, BigInt(bytes.length) * 8n);
  return message;
}

/** The message schedule of one block (FIPS 180-4, section 6.2.2, step 1). */
function expand(words: Uint32Array, view: DataView, from: number): void {
  const word = (n: number): number => words[n] ?? 0;
  for (let n = 0; n < 16; n += 1) words[n] = view.getUint32(from + 4 * n);
  for (let n = 16; n < BLOCK_BYTES; n += 1) {
    const early = word(n - 15);
    const late = word(n - 2);
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
    // One by one: together they would be an array in each round.
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  });
  [a, b, c, d, e, f, g, h].forEach((word, n) => {
    state[n] = (state[n] ?? 0) + word;
  });
}

function rotated(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}
