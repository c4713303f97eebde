import type { ApiKey, Role, Scope, Session, SignInLink } from '@pinfold/core';
import { type Columns, foldForSearch, parseJsonList, type Table, tableOf } from '@pinfold/core/adapter';

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
  publishedAt: 'published_at',
  expiresAt: 'expires_at',
  pinned: { name: 'pinned', write: Number, read: (kept) => kept === 1 },
  deletedAt: 'deleted_at',
  passwordHash: 'password_hash',
  generation: 'generation',
});

/** What a search looks for a title in, which is kept beside it. */
export function titleFolded({ title }: Role): string {
  return title === null ? '' : foldForSearch(title);
}

export const API_KEYS: Table<ApiKey> = table<ApiKey>({
  id: 'id',
  account: 'account',
  scopes: {
    name: 'scopes',
    write: JSON.stringify,
    read: (kept) => parseJsonList(kept as string) as readonly Scope[],
  },
  label: 'label',
  secretHash: 'secret_hash',
  createdAt: 'created_at',
  lastUsedAt: 'last_used_at',
  revokedAt: 'revoked_at',
});

export const SESSIONS: Table<Session> = table<Session>({
  tokenHash: 'token_hash',
  account: 'account',
  apiKey: 'api_key',
  startedAt: 'started_at',
  endsAt: 'ends_at',
});

export const LINKS: Table<SignInLink> = table<SignInLink>({
  tokenHash: 'token_hash',
  account: 'account',
  endsAt: 'ends_at',
});
