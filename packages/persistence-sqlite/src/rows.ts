import {
  type ApiKey,
  type ApiKeyId,
  type ArchiveId,
  type Comparison,
  Fault,
  type Instant,
  type KeptWarning,
  type Role,
  type RoleId,
  type Scope,
  type Token,
  type Version,
  type Versioned,
} from '@pinfold/core';
import { foldForSearch } from '@pinfold/core/adapter';

/** A role's columns under the names of its members, so that a row needs no mapping but of what SQLite lacks. */
export const ROLE_COLUMNS = [
  'id',
  'account',
  'archive',
  'idempotency_key AS idempotencyKey',
  'title',
  'original_filename AS originalFilename',
  'file_count AS fileCount',
  'size',
  'published_at AS publishedAt',
  'expires_at AS expiresAt',
  'pinned',
  'deleted_at AS deletedAt',
  'password_hash AS passwordHash',
  'generation',
  'version',
] as const;

export interface RoleRow extends Omit<Role, 'pinned'> {
  readonly pinned: 0 | 1;
  readonly version: Version;
}

export function roleOf(row: RoleRow): Role {
  return {
    id: row.id,
    account: row.account,
    archive: row.archive,
    idempotencyKey: row.idempotencyKey,
    title: row.title,
    originalFilename: row.originalFilename,
    fileCount: row.fileCount,
    size: row.size,
    publishedAt: row.publishedAt,
    expiresAt: row.expiresAt,
    pinned: row.pinned === 1,
    deletedAt: row.deletedAt,
    passwordHash: row.passwordHash,
    generation: row.generation,
  };
}

export function versionedRoleOf(row: RoleRow): Versioned<Role> {
  return { value: roleOf(row), version: row.version };
}

/** What statements bind for a role, by the names of its members. */
export function roleParameters(role: Role): Record<string, string | number | null> {
  return {
    ...role,
    pinned: Number(role.pinned),
    titleFolded: role.title === null ? '' : foldForSearch(role.title),
  };
}

/** Who holds an Idempotency-Key, or what it published. */
export interface KeyRow {
  readonly fingerprint: string;
  readonly token: Token;
  readonly heldUntil: Instant;
  readonly role: RoleId | null;
  readonly warnings: string | null;
}

export function warningsOf(row: KeyRow): readonly KeptWarning[] {
  return parseList(row.warnings) as readonly KeptWarning[];
}

/** A role that may be claimed for cleanup. */
export interface ClaimableRow {
  readonly role: RoleId;
  readonly archive: ArchiveId;
  readonly failures: number;
  /** Since when it waits. */
  readonly due: number;
}

export const API_KEY_COLUMNS: string =
  'id, account, scopes, label, secret_hash AS secretHash, created_at AS createdAt, ' +
  'last_used_at AS lastUsedAt, revoked_at AS revokedAt';

export interface ApiKeyRow extends Omit<ApiKey, 'scopes'> {
  readonly id: ApiKeyId;
  readonly scopes: string;
}

export function apiKeyOf(row: ApiKeyRow): ApiKey {
  return { ...row, scopes: parseList(row.scopes) as readonly Scope[] };
}

export function apiKeyParameters(key: ApiKey): Record<string, string | number | null> {
  return { ...key, scopes: JSON.stringify(key.scopes) };
}

/** The comparison of storage with the records, as the text it was kept as. */
export interface ComparisonRow {
  readonly version: Version;
  readonly comparison: string;
}

export function comparisonOf({ version, comparison }: ComparisonRow): Versioned<Comparison> {
  return { version, value: parse(comparison) as Comparison };
}

function parseList(text: string | null): readonly unknown[] {
  const value = parse(text ?? '');
  if (Array.isArray(value)) return value;
  throw new Fault('store_corrupt', 'a list in the database cannot be read');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Fault('store_corrupt', 'a value in the database cannot be read', { cause });
  }
}
