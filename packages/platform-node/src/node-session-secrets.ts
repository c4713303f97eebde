import type { MintedToken, SessionSecrets, Sha256 } from '@pinfold/core';
import { sha256 } from './node-api-key-secrets.ts';
import { randomBase62 } from './random-ids.ts';

const SECRET_BYTES = 32;
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
    return text.length === 43 && TOKEN.test(text) ? sha256(text) : undefined;
  }
}
