import { createHash, timingSafeEqual } from 'node:crypto';
import type {
  ApiKeyId,
  ApiKeySecrets,
  MintedKeyText,
  MintedToken,
  PresentedKey,
  SessionSecrets,
  Sha256,
} from '@pinfold/core';
import { randomBase62 } from './random-ids.ts';

/** 8 bytes make ids unique; only the secret must be unguessable. */
const ID_BYTES = 8;
const SECRET_BYTES = 32;

/** A generated id has 11 digits; an operator may choose a shorter or longer one. */
const KEY = /^pf_([0-9A-Za-z]{1,32})_([0-9A-Za-z]{43})$/;

/**
 * API keys `pf_<id>_<secret>`: an id of 11 base62 digits, and 256 random bits in 43 of them.
 *
 * @example
 * import { NodeApiKeySecrets } from '@pinfold/platform-node';
 *
 * const { text } = new NodeApiKeySecrets().mint();
 * text.startsWith('pf_'); // true
 */
export class NodeApiKeySecrets implements ApiKeySecrets {
  mint(): MintedKeyText {
    const id = randomBase62(ID_BYTES) as ApiKeyId;
    const secret = randomBase62(SECRET_BYTES);
    return { id, secretHash: sha256(secret), text: `pf_${id}_${secret}` };
  }

  read(text: string): PresentedKey | undefined {
    const [, id, secret] = KEY.exec(text) ?? [];
    if (id === undefined || secret === undefined) return undefined;
    return { id: id as ApiKeyId, secretHash: sha256(secret) };
  }

  same(one: Sha256, other: Sha256): boolean {
    const left = Buffer.from(one);
    const right = Buffer.from(other);
    return left.length === right.length && timingSafeEqual(left, right);
  }
}

/** Returns hexadecimal digits. */
export function sha256(secret: string): Sha256 {
  return createHash('sha256').update(secret).digest('hex') as Sha256;
}

const TOKEN = /^[0-9A-Za-z]{43}$/;

/**
 * Tokens of 256 random bits in 43 base62 digits. Only their SHA-256 is stored.
 *
 * @example
 * import { NodeSessionSecrets } from '@pinfold/platform-node';
 *
 * const { text, hash } = new NodeSessionSecrets().mint();
 */
export class NodeSessionSecrets implements SessionSecrets {
  mint(): MintedToken {
    const text = randomBase62(SECRET_BYTES);
    return { text, hash: sha256(text) };
  }

  read(text: string): Sha256 | undefined {
    return TOKEN.test(text) ? sha256(text) : undefined;
  }
}
