import type { ApiKey, Role, Scope, Session, SignInLink } from '@pinfold/core';
import { type Column, foldForSearch, parseJsonList, type Table, tableOf } from '@pinfold/core/adapter';

/** A column whose parameter is no text, which the server takes it for where a statement selects it. */
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
  publishedAt: bigint('published_at'),
  expiresAt: bigint('expires_at'),
  pinned: { name: 'pinned', type: 'boolean' },
  deletedAt: bigint('deleted_at'),
  passwordHash: 'password_hash',
  generation: bigint('generation'),
});

/** What a search looks for a title in, which is kept beside it. */
export function titleFolded({ title }: Role): string {
  return title === null ? '' : foldForSearch(title);
}

export const API_KEYS: Table<ApiKey> = tableOf<ApiKey>({
  id: 'id',
  account: 'account',
  scopes: {
    name: 'scopes',
    write: JSON.stringify,
    read: (kept) => parseJsonList(kept as string) as readonly Scope[],
  },
  label: 'label',
  secretHash: 'secret_hash',
  createdAt: bigint('created_at'),
  lastUsedAt: bigint('last_used_at'),
  revokedAt: bigint('revoked_at'),
});

export const SESSIONS: Table<Session> = tableOf<Session>({
  tokenHash: 'token_hash',
  account: 'account',
  apiKey: 'api_key',
  startedAt: bigint('started_at'),
  endsAt: bigint('ends_at'),
});

export const LINKS: Table<SignInLink> = tableOf<SignInLink>({
  tokenHash: 'token_hash',
  account: 'account',
  endsAt: bigint('ends_at'),
});
