import type { Fingerprint } from '../../domain/idempotency.ts';
import type { ArchiveId, RoleId, Token } from '../../domain/identity.ts';
import type { Instant } from '../../domain/instant.ts';
import type { NameRecord } from '../../domain/name.ts';
import type { Role } from '../../domain/role.ts';
import type { EncodedManifest } from '../../domain/site.ts';
import type { Takedown } from '../../domain/takedown.ts';
import type { CountedViews } from '../../domain/views.ts';
import type { Warning } from '../../domain/warnings.ts';
import type { Lease, Version } from '../../ports/role-store.ts';
import { column, gte, notNull } from '../conditions.ts';
import { defineTable, flag, integer, json, nullable, type RecordTable, text } from '../table.ts';
import { ACCOUNTS, type AccountRow } from './account-tables.ts';
import { accountLock, archiveLock, idempotencyLock, lockOf, VIEWS_LOCK } from './locks.ts';

/** A role with the members that only the store uses. Derived members are stored so that an index has them. */
export interface RoleRow extends Role {
  readonly version: Version;
  /** Derived from the title, for searches. */
  readonly titleFolded: string;
  /** Derived from the original file name, for searches. */
  readonly filenameFolded: string;
  /** Derived from `expiresAt` and `deletedAt`: the instant from which viewers do not see it; null without one. */
  readonly endedAt: Instant | null;
  /** Derived from `expiresAt`: the rank in the list by expiration. */
  readonly endingRank: number;
  readonly lastEventAt: Instant;
  /** Whether its expiration has an event. */
  readonly isExpiryRecorded: boolean;
  /** Whether its archive is still stored. */
  readonly hasArchive: boolean;
  /** Whether the next cleanup removes its archive, without the usual delay. */
  readonly isPurged: boolean;
  /** The claim of the cleanup that removes its archive. */
  readonly cleanupToken: Token | null;
  /** From when another cleanup may claim it; null before the first one. */
  readonly cleanupNotBefore: Instant | null;
  readonly cleanupFailures: number;
}

const LIVE = { deletedAt: null } as const;
const DELETED = { deletedAt: notNull } as const;

/** The roles of all accounts. */
export const ROLES: RecordTable<RoleRow, 'id', { readonly account: AccountRow }> = defineTable({
  name: 'roles',
  columns: {
    id: text,
    account: text,
    archive: text,
    idempotencyKey: nullable(text),
    title: nullable(text),
    originalFilename: nullable(text),
    fileCount: integer,
    size: integer,
    archiveBytes: integer,
    sha256: text,
    publishedAt: integer,
    expiresAt: nullable(integer),
    pinned: flag,
    deletedAt: nullable(integer),
    passwordHash: nullable(text),
    generation: integer,
    version: integer,
    titleFolded: text,
    filenameFolded: text,
    endedAt: nullable(integer),
    endingRank: integer,
    lastEventAt: integer,
    isExpiryRecorded: flag,
    hasArchive: flag,
    isPurged: flag,
    cleanupToken: nullable(text),
    cleanupNotBefore: nullable(integer),
    cleanupFailures: integer,
  },
  key: ['id'],
  indexes: [
    { name: 'listed', columns: ['account', 'publishedAt', 'id'], covers: ['expiresAt'], where: LIVE },
    {
      name: 'ending',
      columns: ['account', 'endingRank', 'id'],
      covers: ['expiresAt', 'archiveBytes'],
      where: LIVE,
    },
    { name: 'largest', columns: ['account', 'archiveBytes', 'id'], covers: ['expiresAt'], where: LIVE },
    { name: 'deleted', columns: ['account', 'publishedAt', 'id'], where: DELETED },
    { name: 'newest', columns: ['publishedAt', 'id'], covers: ['expiresAt'], where: LIVE },
    { name: 'newest_deleted', columns: ['publishedAt', 'id'], where: DELETED },
    { name: 'sha256', columns: ['sha256', 'id'], where: LIVE },
    {
      name: 'stored',
      columns: ['id'],
      covers: ['archiveBytes', 'pinned', 'expiresAt', 'deletedAt'],
      where: { hasArchive: true },
    },
    { name: 'ended', columns: ['endedAt'], where: { hasArchive: true, cleanupNotBefore: null } },
    {
      name: 'waiting',
      columns: ['cleanupNotBefore'],
      where: { hasArchive: true, cleanupNotBefore: notNull },
    },
    { name: 'named', columns: ['endedAt'], where: { hasArchive: false, originalFilename: notNull } },
    {
      name: 'expiring',
      columns: ['expiresAt'],
      where: {
        isExpiryRecorded: false,
        either: [{ deletedAt: null }, { deletedAt: gte(column('expiresAt')) }],
      },
    },
  ],
  references: { account: () => ACCOUNTS },
  guards: ({ account }) => lockOf(accountLock, account),
});

/** The manifests of stored archives. They never change, and are found by the archive of a role. */
export const MANIFESTS: RecordTable<
  { readonly archive: ArchiveId; readonly manifest: EncodedManifest },
  'archive'
> = defineTable({
  name: 'manifests',
  columns: { archive: text, manifest: text },
  key: ['archive'],
  guards: undefined,
});

/** An Idempotency-Key: reserved while its role is null, then complete. */
export interface IdempotencyKeyRow extends Lease {
  readonly fingerprint: Fingerprint;
  readonly begunAt: Instant;
  readonly heldUntil: Instant;
  readonly role: RoleId | null;
  readonly warnings: readonly Warning[] | null;
}

/** The Idempotency-Keys of all accounts. */
export const IDEMPOTENCY_KEYS: RecordTable<IdempotencyKeyRow, 'account' | 'key', { readonly role: RoleRow }> =
  defineTable({
    name: 'idempotency_keys',
    columns: {
      account: text,
      key: text,
      fingerprint: text,
      token: text,
      begunAt: integer,
      heldUntil: integer,
      role: nullable(text),
      warnings: nullable(json),
    },
    key: ['account', 'key'],
    indexes: [{ name: 'reserved', columns: ['begunAt'], where: { role: null } }],
    references: { role: () => ROLES },
    guards: ({ account, key }) =>
      account === undefined || key === undefined ? [] : [idempotencyLock(account, key)],
  });

/** Names of publications. A name shows a role of its own account. */
export const NAMES: RecordTable<
  NameRecord,
  'account' | 'name',
  { readonly role: RoleRow; readonly account: AccountRow }
> = defineTable({
  name: 'names',
  columns: {
    account: text,
    name: text,
    token: text,
    role: text,
    previous: nullable(text),
    updatedAt: integer,
  },
  key: ['account', 'name'],
  unique: [['token']],
  references: { role: () => ROLES, account: () => ACCOUNTS },
  guards: ({ account }) => lockOf(accountLock, account),
});

/** Publications that were taken down. */
export const TAKEDOWNS: RecordTable<Takedown, 'id' | 'sha256'> = defineTable({
  name: 'takedowns',
  columns: {
    id: text,
    account: text,
    sha256: text,
    reason: text,
    at: integer,
    liftedAt: nullable(integer),
  },
  key: ['id', 'sha256'],
  indexes: [
    { name: 'forbidden', columns: ['sha256', 'at', 'id'], where: { liftedAt: null } },
    { name: 'listed', columns: ['at', 'id', 'sha256'], where: { liftedAt: null } },
    { name: 'of_account', columns: ['account'] },
  ],
  guards: ({ sha256 }) => lockOf(archiveLock, sha256),
});

/** Views of roles by day. */
export const VIEWS: RecordTable<CountedViews, 'role' | 'day'> = defineTable({
  name: 'views',
  columns: { role: text, day: integer, views: integer, refusedPasswords: integer },
  key: ['role', 'day'],
  indexes: [{ name: 'day', columns: ['day'] }],
  guards: () => [VIEWS_LOCK],
});
