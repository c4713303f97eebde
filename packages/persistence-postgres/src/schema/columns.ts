import type {
  Account,
  ApiKey,
  Consent,
  CountedViews,
  HistoryEvent,
  NameRecord,
  Role,
  Session,
  SignInLink,
  Takedown,
} from '@pinfold/core';
import { type Column, jsonList, jsonOf, type Table, tableOf } from '@pinfold/core/adapter';

/** A column whose parameter needs a type: the server takes a selected parameter for text otherwise. */
const bigint = (name: string): Pick<Column<never>, 'name' | 'type'> => ({ name, type: 'bigint' });

export const ROLES: Table<Role> = tableOf<Role>({
  id: 'id',
  account: 'account',
  archive: 'archive',
  idempotencyKey: 'idempotency_key',
  title: 'title',
  originalFilename: 'original_filename',
  fileCount: bigint('file_count'),
  size: bigint('size'),
  archiveBytes: bigint('archive_bytes'),
  sha256: 'sha256',
  publishedAt: bigint('published_at'),
  expiresAt: bigint('expires_at'),
  pinned: { name: 'pinned', type: 'boolean' },
  deletedAt: bigint('deleted_at'),
  passwordHash: 'password_hash',
  generation: bigint('generation'),
});

export const ACCOUNTS: Table<Account> = tableOf<Account>({
  name: 'name',
  limits: jsonOf('limits'),
  blocked: jsonOf('blocked'),
  generation: bigint('generation'),
  lastPublishedAt: bigint('last_published_at'),
  publicationsMark: bigint('publications_mark'),
});

export const API_KEYS: Table<ApiKey> = tableOf<ApiKey>({
  id: 'id',
  account: 'account',
  scopes: jsonList('scopes'),
  label: 'label',
  secretHash: 'secret_hash',
  createdAt: bigint('created_at'),
  lastUsedAt: bigint('last_used_at'),
  revokedAt: bigint('revoked_at'),
  isEnsured: { name: 'ensured', type: 'boolean' },
});

export const SESSIONS: Table<Session> = tableOf<Session>({
  tokenHash: 'token_hash',
  account: 'account',
  apiKey: 'api_key',
  actor: jsonOf('actor'),
  scope: 'scope',
  displayName: 'display_name',
  startedAt: bigint('started_at'),
  endsAt: bigint('ends_at'),
});

export const LINKS: Table<SignInLink> = tableOf<SignInLink>({
  tokenHash: 'token_hash',
  account: 'account',
  actor: jsonOf('actor'),
  scope: 'scope',
  endsAt: bigint('ends_at'),
});

export const EVENTS: Table<HistoryEvent> = tableOf<HistoryEvent>({
  at: bigint('at'),
  id: 'id',
  type: 'type',
  account: 'account',
  pin: 'pin',
  name: 'name',
  actor: jsonOf('actor'),
  request: 'request',
  address: 'address',
  asOperator: { name: 'as_operator', type: 'boolean' },
  recordedAt: bigint('recorded_at'),
});

export const NAMES: Table<NameRecord> = tableOf<NameRecord>({
  account: 'account',
  name: 'name',
  token: 'token',
  role: 'role',
  updatedAt: bigint('updated_at'),
});

export const TAKEDOWNS: Table<Takedown> = tableOf<Takedown>({
  id: 'id',
  account: 'account',
  sha256: 'sha256',
  reason: 'reason',
  at: bigint('at'),
  liftedAt: bigint('lifted_at'),
});

/** How often each role was viewed, by day. */
export const VIEWS: Table<CountedViews> = tableOf<CountedViews>({
  role: 'role',
  day: bigint('day'),
  views: bigint('views'),
  refusedPasswords: bigint('refused_passwords'),
});

/** The columns of a pairing that are null before a consent. */
export const CONSENTS: Table<Consent> = tableOf<Consent>({
  account: 'account',
  scopes: jsonList('scopes'),
  label: 'label',
  actor: jsonOf('actor'),
  session: 'session',
  apiKey: 'api_key',
});
