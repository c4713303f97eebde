import { hash, randomBytes, randomUUID } from 'node:crypto';
import type { ArchiveId, EventId, Ids, Instant, NameToken, RoleId, Sha256, Token } from '@pinfold/core';
import { archiveIdOf } from '@pinfold/core/adapter';

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
    return hash('sha256', text) as Sha256;
  }
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
