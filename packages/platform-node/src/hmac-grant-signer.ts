import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Grant, GrantSigner } from '@pinfold/core';
import { decodeGrant, encodeGrant, GRANT_BYTES } from './grant-bytes.ts';

/** Options of {@link HmacGrantSigner}. */
export interface HmacGrantSignerOptions {
  /**
   * The secret that signs, then earlier ones whose tokens still verify. Each has at least 16 bytes, better 32
   * random ones; keys are derived from them, so the same secret may serve other purposes too.
   */
  readonly secrets: readonly [current: string | Uint8Array, ...earlier: readonly (string | Uint8Array)[]];
}

const PURPOSE_OF_KEY = 'pinfold viewing grant, version 1';
const SHORTEST_SECRET = 16;
const MAC_BYTES = 32;
const VERIFIED_AT_MOST = 8_192;

/** The bytes of a token are a multiple of three, so base64url leaves no spare bits in which two texts could differ. */
const TOKEN = new RegExp(`^[A-Za-z0-9_-]{${((GRANT_BYTES + MAC_BYTES) / 3) * 4}}$`);

/**
 * Signs grants with HMAC-SHA-256 (RFC 2104) under keys derived by HKDF (RFC 5869).
 *
 * A token has 112 characters; no two texts stand for the same one.
 *
 * @example
 * import { HmacGrantSigner } from '@pinfold/platform-node';
 *
 * const signer = new HmacGrantSigner({ secrets: ['0123456789abcdef0123456789abcdef'] });
 * signer.verify('no token'); // undefined
 */
export class HmacGrantSigner implements GrantSigner {
  readonly #current: KeyObject;
  readonly #keys: readonly KeyObject[];
  /** What tokens that were verified say, the latest used last: a signature stays right for good. */
  readonly #verified: Map<string, Grant> = new Map();

  /** @throws TypeError when a secret has fewer than 16 bytes. */
  constructor(options: HmacGrantSignerOptions) {
    const [current, ...earlier] = options.secrets;
    this.#current = deriveKey(current);
    this.#keys = [this.#current, ...earlier.map(deriveKey)];
  }

  sign(grant: Grant): string {
    const bytes = encodeGrant(grant);
    return Buffer.concat([bytes, macOf(bytes, this.#current)]).toString('base64url');
  }

  verify(token: string): Grant | undefined {
    const grant = this.#verified.get(token) ?? this.#read(token);
    if (grant === undefined) return undefined;
    this.#verified.delete(token);
    this.#verified.set(token, grant);
    const [oldest] = this.#verified.keys();
    if (this.#verified.size > VERIFIED_AT_MOST && oldest !== undefined) this.#verified.delete(oldest);
    return grant;
  }

  #read(token: string): Grant | undefined {
    if (!TOKEN.test(token)) return undefined;
    const bytes = Buffer.from(token, 'base64url');
    const signed = bytes.subarray(0, GRANT_BYTES);
    const mac = bytes.subarray(GRANT_BYTES);
    if (!this.#keys.some((key) => timingSafeEqual(macOf(signed, key), mac))) return undefined;
    return decodeGrant(signed);
  }
}

function deriveKey(secret: string | Uint8Array): KeyObject {
  const bytes = Buffer.from(secret);
  if (bytes.length < SHORTEST_SECRET) {
    throw new TypeError(`a secret for viewing grants has at least ${SHORTEST_SECRET} bytes`);
  }
  return createSecretKey(Buffer.from(hkdfSync('sha256', bytes, '', PURPOSE_OF_KEY, MAC_BYTES)));
}

function macOf(bytes: Uint8Array, key: KeyObject): Buffer {
  return createHmac('sha256', key).update(bytes).digest();
}
