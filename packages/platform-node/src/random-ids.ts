import { randomUUID } from 'node:crypto';
import type { ArchiveId, EventId, Ids, Instant, RoleId, Token } from '@pinfold/core';
import { archiveIdOf } from '@pinfold/core/adapter';

/**
 * Identifiers from the system's source of randomness: each holds 122 random bits.
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
}
