import {
  type ApiKey,
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

/** A role's columns under the names of its members, so that a row needs no mapping. */
export const ROLE_COLUMNS: string = columns([
  'id',
  'account',
  'archive',
  'idempotencyKey',
  'title',
  'originalFilename',
  'fileCount',
  'size',
  'publishedAt',
  'expiresAt',
  'pinned',
  'deletedAt',
  'passwordHash',
  'generation',
  'version',
]);

/** The columns that members are kept in, each under the member's name. */
function columns(members: readonly string[]): string {
  return members.map((member) => `${columnOf(member)} AS "${member}"`).join(', ');
}

function columnOf(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export interface RoleRow extends Role {
  readonly version: Version;
}

export function roleOf({ version: _, ...role }: RoleRow): Role {
  return role;
}

export function versionedRoleOf(row: RoleRow): Versioned<Role> {
  const { version, ...value } = row;
  return { value, version };
}

export function titleFolded(role: Role): string {
  return role.title === null ? '' : foldForSearch(role.title);
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

export const API_KEY_COLUMNS: string = columns([
  'id',
  'account',
  'scopes',
  'label',
  'secretHash',
  'createdAt',
  'lastUsedAt',
  'revokedAt',
]);

export interface ApiKeyRow extends Omit<ApiKey, 'scopes'> {
  readonly scopes: string;
}

export function apiKeyOf(row: ApiKeyRow): ApiKey {
  return { ...row, scopes: parseList(row.scopes) as readonly Scope[] };
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
