import { createHash } from 'node:crypto';
import * as scryptKdf from 'scrypt-kdf';

/** The cost of one scrypt computation (RFC 7914, section 2). */
export interface ScryptCost {
  /** Binary logarithm of the cost parameter N. */
  readonly logN: number;
  /** Block size. */
  readonly r: number;
  /** Parallelisation. */
  readonly p: number;
}

/** The package's types declare named exports, but at run time it has only a default export. */
const scrypt = (scryptKdf as unknown as { readonly default: typeof scryptKdf }).default;

const HEADER = /^scrypt\0$/;
const BYTES = 96;

/** Derives a key with a new salt; returns the 96 bytes of the scrypt file header in base64. */
export async function deriveKey(secret: Uint8Array, cost: ScryptCost): Promise<string> {
  const key = await scrypt.kdf(secret, cost);
  return Buffer.from(key).toString('base64');
}

export function matchesKey(key: Uint8Array, secret: Uint8Array): Promise<boolean> {
  return scrypt.verify(key, secret);
}

/**
 * Parses a derived key and checks its checksum; `undefined` for any other text. Does not compute anything, because
 * the cost in the text may be enormous.
 */
export function parseKey(text: string): { readonly key: Uint8Array; readonly cost: ScryptCost } | undefined {
  if (text.length !== (BYTES / 3) * 4) return undefined;
  const key = Buffer.from(text, 'base64');
  if (key.length !== BYTES || key.toString('base64') !== text) return undefined;
  if (!HEADER.test(key.toString('latin1', 0, 7))) return undefined;
  const checksum = createHash('sha256').update(key.subarray(0, 48)).digest().subarray(0, 16);
  if (!checksum.equals(key.subarray(48, 64))) return undefined;
  return { key, cost: scrypt.viewParams(key) };
}

/** The memory of one computation, in bytes. */
export function memoryOf(cost: ScryptCost): number {
  return 128 * 2 ** cost.logN * cost.r;
}

/** The work of one computation, in mixed blocks. */
export function workOf(cost: ScryptCost): number {
  return 2 ** cost.logN * cost.r * cost.p;
}
