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

/** The package's types name its functions one by one; at run time there is a default export alone. */
const scrypt = (scryptKdf as unknown as { readonly default: typeof scryptKdf }).default;

const HEADER = /^scrypt\0$/;
const BYTES = 96;

/** Derives a key with a fresh salt, as base64 of the 96 bytes of the scrypt file header. */
export async function deriveKey(secret: Uint8Array, cost: ScryptCost): Promise<string> {
  const key = await scrypt.kdf(secret, cost);
  return Buffer.from(key).toString('base64');
}

export function matchesKey(key: Uint8Array, secret: Uint8Array): Promise<boolean> {
  return scrypt.verify(key, secret);
}

/** Reads a derived key; `undefined` for any other text, by its checksum. Its cost is only read: it may be enormous. */
export function parseKey(text: string): { readonly key: Uint8Array; readonly cost: ScryptCost } | undefined {
  if (text.length !== (BYTES / 3) * 4) return undefined;
  const key = Buffer.from(text, 'base64');
  if (key.length !== BYTES || key.toString('base64') !== text) return undefined;
  if (!HEADER.test(key.toString('latin1', 0, 7))) return undefined;
  const checksum = createHash('sha256').update(key.subarray(0, 48)).digest().subarray(0, 16);
  if (!checksum.equals(key.subarray(48, 64))) return undefined;
  return { key, cost: scrypt.viewParams(key) };
}

/** Memory of one computation, in bytes. */
export function memoryOf(cost: ScryptCost): number {
  return 128 * 2 ** cost.logN * cost.r;
}

/** Work of one computation, in blocks mixed. */
export function workOf(cost: ScryptCost): number {
  return 2 ** cost.logN * cost.r * cost.p;
}
