import { aRole as anyRole } from '@pinfold/test-contracts/fixtures';
import { archiveIdOf } from '../src/domain/identity.ts';
import { hours, instant, type PasswordHash, type Role, type RoleId, type Title } from '../src/index.ts';

/** 2026-11-20T12:00:00Z. */
export const NOW = instant(Date.UTC(2026, 10, 20, 12));
export const TITLE = 'Spring catalogue' as Title;
export const HASH = 'scrypt:abc' as PasswordHash;
export const UUID = '0b9cbd2e-7c3a-4f0e-9d8c-5a1f2b3c4d5e';

/** A published role that expires in an hour. */
export function aRole(differing: Partial<Role> = {}): Role {
  return anyRole(1, {
    id: UUID as RoleId,
    archive: archiveIdOf(NOW, UUID),
    title: null,
    publishedAt: instant(NOW - hours(1)),
    expiresAt: instant(NOW + hours(1)),
    ...differing,
  });
}
