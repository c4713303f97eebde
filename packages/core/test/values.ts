import { FIRST_GENERATION } from '../src/adapter.ts';
import { archiveIdOf } from '../src/domain/identity.ts';
import {
  accountId,
  type Filename,
  hours,
  type IdempotencyKey,
  instant,
  type PasswordHash,
  type Role,
  type RoleId,
  type Sha256,
  type Title,
} from '../src/index.ts';

/** 2026-11-20T12:00:00Z. */
export const NOW = instant(Date.UTC(2026, 10, 20, 12));
export const TITLE = 'Spring catalogue' as Title;
export const HASH = 'scrypt:abc' as PasswordHash;
export const UUID = '0b9cbd2e-7c3a-4f0e-9d8c-5a1f2b3c4d5e';

/** A published role that expires in an hour. */
export function aRole(differing: Partial<Role> = {}): Role {
  return {
    id: UUID as RoleId,
    account: accountId('default'),
    archive: archiveIdOf(NOW, UUID),
    idempotencyKey: 'key-1' as IdempotencyKey,
    title: null,
    originalFilename: 'site.zip' as Filename,
    fileCount: 2,
    size: 40,
    archiveBytes: 30,
    sha256: '0'.repeat(64) as Sha256,
    publishedAt: instant(NOW - hours(1)),
    expiresAt: instant(NOW + hours(1)),
    pinned: false,
    deletedAt: null,
    passwordHash: null,
    generation: FIRST_GENERATION,
    ...differing,
  };
}
