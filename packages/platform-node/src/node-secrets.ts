import { hash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type {
  ApiKeyId,
  ApiKeySecrets,
  ArchiveId,
  EventId,
  Ids,
  Instant,
  MintedKeyText,
  MintedToken,
  NameToken,
  PresentedKey,
  RoleId,
  SessionSecrets,
  Sha256,
  Token,
} from '@pinfold/core';
import { archiveIdOf } from '@pinfold/core/adapter';

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

/**
 * Identifiers from the system's source of randomness: each holds at least 122 random bits.
 *
 * @example
 * import { RandomIds } from '@pinfold/platform-node';
 *
 * const id = new RandomIds().role();
 */
export class RandomIds implements Ids {
  role(): RoleId {
    return randomUUID() as string as RoleId;
  }

  archive(createdAt: Instant): ArchiveId {
    return archiveIdOf(createdAt, randomUUID());
  }

  token(): Token {
    return randomUUID() as string as Token;
  }

  event(): EventId {
    return randomUUID() as string as EventId;
  }

  nameToken(): NameToken {
    return randomBase62(16) as NameToken;
  }

  digest(text: string): Sha256 {
    return sha256(text);
  }
}

/** Returns hexadecimal digits. */
function sha256(text: string): Sha256 {
  return hash('sha256', text) as Sha256;
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Encodes random bytes as one base62 number, padded with zeros to the digits of the largest. */
export function randomBase62(bytes: number): string {
  const length = Math.ceil((bytes * 8) / Math.log2(DIGITS.length));
  let number = BigInt(`0x${randomBytes(bytes).toString('hex')}`);
  let text = '';
  while (text.length < length) {
    text = DIGITS.charAt(Number(number % 62n)) + text;
    number /= 62n;
  }
  return text;
}
