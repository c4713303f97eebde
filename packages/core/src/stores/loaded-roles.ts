import { FIRST_GENERATION, type Role } from '../domain/role.ts';
import type { LoadedRole } from '../ports/role-store.ts';
import type { AccountRow } from '../records/tables/account-tables.ts';
import type { RoleRow } from '../records/tables/role-tables.ts';

export const ROLE = [
  'id',
  'account',
  'archive',
  'idempotencyKey',
  'title',
  'originalFilename',
  'fileCount',
  'size',
  'archiveBytes',
  'sha256',
  'publishedAt',
  'expiresAt',
  'pinned',
  'deletedAt',
  'passwordHash',
  'generation',
] as const;

/** The columns of {@link loadedRole}. */
export const LOADED: readonly [...typeof ROLE, 'version'] = [...ROLE, 'version'];
export const OWNER = ['blocked', 'generation'] as const;

/** Copies a role without the members of its row. Names each member, because V8 is slow with computed names. */
export function roleOf(row: Role): Role {
  return {
    id: row.id,
    account: row.account,
    archive: row.archive,
    idempotencyKey: row.idempotencyKey,
    title: row.title,
    originalFilename: row.originalFilename,
    fileCount: row.fileCount,
    size: row.size,
    archiveBytes: row.archiveBytes,
    sha256: row.sha256,
    publishedAt: row.publishedAt,
    expiresAt: row.expiresAt,
    pinned: row.pinned,
    deletedAt: row.deletedAt,
    passwordHash: row.passwordHash,
    generation: row.generation,
  };
}

/** Makes a role with the members of its account that viewers depend on. An account has no row before its first change. */
export function loadedRole(
  row: Pick<RoleRow, (typeof LOADED)[number]>,
  owner: Pick<AccountRow, (typeof OWNER)[number]> | undefined,
): LoadedRole {
  return {
    value: roleOf(row),
    version: row.version,
    isHidden: owner?.blocked?.sites === 'hide',
    accountGeneration: owner?.generation ?? FIRST_GENERATION,
  };
}

/** Copies a role for its caller, since an engine may share it. Names each member, because V8 is slow with a spread. */
export function copyOfLoaded({ value, version, isHidden, accountGeneration }: LoadedRole): LoadedRole {
  return { value: { ...value }, version, isHidden, accountGeneration };
}
