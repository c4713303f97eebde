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
import { type Columns, jsonList, jsonOf, type Table, tableOf } from '@pinfold/core/adapter';

const table = <Row>(columns: Columns<Row>): Table<Row> => tableOf(columns, () => '?');

export const ROLES: Table<Role> = table<Role>({
  id: 'id',
  account: 'account',
  archive: 'archive',
  idempotencyKey: 'idempotency_key',
  title: 'title',
  originalFilename: 'original_filename',
  fileCount: 'file_count',
  size: 'size',
  archiveBytes: 'archive_bytes',
  sha256: 'sha256',
  publishedAt: 'published_at',
  expiresAt: 'expires_at',
  pinned: { name: 'pinned', write: Number, read: (kept) => kept === 1 },
  deletedAt: 'deleted_at',
  passwordHash: 'password_hash',
  generation: 'generation',
});

export const ACCOUNTS: Table<Account> = table<Account>({
  name: 'name',
  limits: jsonOf('limits'),
  blocked: jsonOf('blocked'),
  generation: 'generation',
  lastPublishedAt: 'last_published_at',
  publicationsMark: 'publications_mark',
});

export const API_KEYS: Table<ApiKey> = table<ApiKey>({
  id: 'id',
  account: 'account',
  scopes: jsonList('scopes'),
  label: 'label',
  secretHash: 'secret_hash',
  createdAt: 'created_at',
  lastUsedAt: 'last_used_at',
  revokedAt: 'revoked_at',
  isEnsured: { name: 'ensured', write: Number, read: (kept) => kept === 1 },
});

export const SESSIONS: Table<Session> = table<Session>({
  tokenHash: 'token_hash',
  account: 'account',
  apiKey: 'api_key',
  actor: jsonOf('actor'),
  scope: 'scope',
  displayName: 'display_name',
  startedAt: 'started_at',
  endsAt: 'ends_at',
});

export const LINKS: Table<SignInLink> = table<SignInLink>({
  tokenHash: 'token_hash',
  account: 'account',
  actor: jsonOf('actor'),
  scope: 'scope',
  endsAt: 'ends_at',
});

export const EVENTS: Table<HistoryEvent> = table<HistoryEvent>({
  at: 'at',
  id: 'id',
  type: 'type',
  account: 'account',
  pin: 'pin',
  name: 'name',
  actor: jsonOf('actor'),
  request: 'request',
  address: 'address',
  asOperator: { name: 'as_operator', write: Number, read: (kept) => kept === 1 },
  recordedAt: 'recorded_at',
});

export const NAMES: Table<NameRecord> = table<NameRecord>({
  account: 'account',
  name: 'name',
  token: 'token',
  role: 'role',
  updatedAt: 'updated_at',
});

export const TAKEDOWNS: Table<Takedown> = table<Takedown>({
  id: 'id',
  account: 'account',
  sha256: 'sha256',
  reason: 'reason',
  at: 'at',
  liftedAt: 'lifted_at',
});

/** How often each role was viewed, by day. */
export const VIEWS: Table<CountedViews> = table<CountedViews>({
  role: 'role',
  day: 'day',
  views: 'views',
  refusedPasswords: 'refused_passwords',
});

/** The columns of a pairing that are null before a consent. */
export const CONSENTS: Table<Consent> = table<Consent>({
  account: 'account',
  scopes: jsonList('scopes'),
  label: 'label',
  actor: jsonOf('actor'),
  session: 'session',
  apiKey: 'api_key',
});
