import type { AccountId, ApiKey, ApiKeyId, ApiKeyStore, Instant } from '@pinfold/core';
import { API_KEY_COLUMNS, type ApiKeyRow, apiKeyOf, apiKeyParameters } from './rows.ts';
import type { Statements } from './sqlite-connection.ts';

const VALUES = `
  (id, account, scopes, label, secret_hash, created_at, last_used_at, revoked_at)
  SELECT @id, @account, @scopes, @label, @secretHash, @createdAt, @lastUsedAt, @revokedAt`;
const CREATE = `INSERT INTO api_keys ${VALUES} WHERE TRUE ON CONFLICT (id) DO NOTHING`;
const CREATE_FIRST = `INSERT INTO api_keys ${VALUES} WHERE NOT EXISTS (SELECT 1 FROM api_keys)`;
const FIND = `SELECT ${API_KEY_COLUMNS} FROM api_keys WHERE id = ?`;
const LIST = `SELECT ${API_KEY_COLUMNS} FROM api_keys ORDER BY created_at, id`;
const LIST_OF_ACCOUNT = `SELECT ${API_KEY_COLUMNS} FROM api_keys WHERE account = ? ORDER BY created_at, id`;
const REVOKE = 'UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?';
const STALE = 'id = @id AND (last_used_at IS NULL OR (last_used_at <= @unlessSince AND last_used_at < @at))';
const IS_STALE = `SELECT 1 FROM api_keys WHERE ${STALE}`;
const TOUCH = `UPDATE api_keys SET last_used_at = @at WHERE ${STALE}`;

/** Keeps API keys in a SQLite file. */
export class SqliteApiKeyStore implements ApiKeyStore {
  readonly #connection: Statements;

  constructor(connection: Statements) {
    this.#connection = connection;
  }

  create(key: ApiKey): Promise<{ readonly kind: 'created' } | { readonly kind: 'exists' }> {
    return this.#insert(CREATE, key);
  }

  createFirst(key: ApiKey): Promise<{ readonly kind: 'created' } | { readonly kind: 'exists' }> {
    return this.#insert(CREATE_FIRST, key);
  }

  find(id: ApiKeyId, signal?: AbortSignal): Promise<ApiKey | undefined> {
    return this.#connection.read((prepare) => {
      const row = prepare<ApiKeyRow>(FIND).get(id);
      return row === undefined ? undefined : apiKeyOf(row);
    }, signal);
  }

  list(account: AccountId | undefined): Promise<readonly ApiKey[]> {
    return this.#connection.read((prepare) => {
      const rows =
        account === undefined
          ? prepare<ApiKeyRow>(LIST).all()
          : prepare<ApiKeyRow>(LIST_OF_ACCOUNT).all(account);
      return rows.map(apiKeyOf);
    });
  }

  revoke(id: ApiKeyId, at: Instant): Promise<{ readonly kind: 'revoked' } | { readonly kind: 'unknown' }> {
    return this.#connection.write((prepare) => ({
      kind: prepare(REVOKE).run(at, id).changes === 1 ? 'revoked' : 'unknown',
    }));
  }

  async touch(id: ApiKeyId, at: Instant, unlessSince: Instant): Promise<void> {
    // Nearly every use was noted a moment ago, and asking takes no lock.
    const use = { id, at, unlessSince };
    const stale = await this.#connection.read((prepare) => prepare(IS_STALE).get(use) !== undefined);
    if (stale) await this.#connection.note((prepare) => prepare(TOUCH).run(use));
  }

  #insert(sql: string, key: ApiKey): Promise<{ readonly kind: 'created' } | { readonly kind: 'exists' }> {
    return this.#connection.write((prepare) => ({
      kind: prepare(sql).run(apiKeyParameters(key)).changes === 1 ? 'created' : 'exists',
    }));
  }
}
