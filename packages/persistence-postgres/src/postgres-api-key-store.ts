import type { AccountId, ApiKey, ApiKeyId, ApiKeyStore, Instant } from '@pinfold/core';
import type { PostgresConnection } from './postgres-connection.ts';
import { API_KEY_COLUMNS, type ApiKeyRow, apiKeyOf } from './rows.ts';
import { prepared, type Statement } from './statement.ts';
import type { Tables } from './tables.ts';

interface Statements {
  readonly create: Statement;
  readonly createFirst: Statement;
  readonly find: Statement;
  readonly list: Statement;
  readonly listOfAccount: Statement;
  readonly revoke: Statement;
  readonly touch: Statement;
}

function statementsOf({ apiKeys }: Tables): Statements {
  const columns = 'id, account, scopes, label, secret_hash, created_at, last_used_at, revoked_at';
  const select = `SELECT ${API_KEY_COLUMNS} FROM ${apiKeys}`;
  return {
    create: prepared(`
      INSERT INTO ${apiKeys} (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      ON CONFLICT (id) DO NOTHING`),
    // Of two at the same moment neither sees the other: the column that only one may have decides.
    createFirst: prepared(`
      INSERT INTO ${apiKeys} (${columns}, very_first)
      SELECT $1, $2, $3, $4, $5, $6::bigint, $7::bigint, $8::bigint, true
      WHERE NOT EXISTS (SELECT 1 FROM ${apiKeys})
      ON CONFLICT DO NOTHING`),
    find: prepared(`${select} WHERE id = $1`),
    list: prepared(`${select} ORDER BY created_at, id`),
    listOfAccount: prepared(`${select} WHERE account = $1 ORDER BY created_at, id`),
    revoke: prepared(`UPDATE ${apiKeys} SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1`),
    touch: prepared(`
      UPDATE ${apiKeys} SET last_used_at = $2
      WHERE id = $1 AND (last_used_at IS NULL OR (last_used_at <= $3 AND last_used_at < $2))`),
  };
}

/** Keeps API keys in PostgreSQL. */
export class PostgresApiKeyStore implements ApiKeyStore {
  readonly #connection: PostgresConnection;
  readonly #statements: Statements;

  constructor(connection: PostgresConnection, tables: Tables) {
    this.#connection = connection;
    this.#statements = statementsOf(tables);
  }

  create(key: ApiKey): Promise<{ readonly kind: 'created' } | { readonly kind: 'exists' }> {
    return this.#insert(this.#statements.create, key);
  }

  createFirst(key: ApiKey): Promise<{ readonly kind: 'created' } | { readonly kind: 'exists' }> {
    return this.#insert(this.#statements.createFirst, key);
  }

  async find(id: ApiKeyId, signal?: AbortSignal): Promise<ApiKey | undefined> {
    const [row] = await this.#connection.read<ApiKeyRow>(this.#statements.find, [id], signal);
    return row === undefined ? undefined : apiKeyOf(row);
  }

  async list(account: AccountId | undefined): Promise<readonly ApiKey[]> {
    const { list, listOfAccount } = this.#statements;
    const rows =
      account === undefined
        ? await this.#connection.read<ApiKeyRow>(list, [])
        : await this.#connection.read<ApiKeyRow>(listOfAccount, [account]);
    return rows.map(apiKeyOf);
  }

  async revoke(
    id: ApiKeyId,
    at: Instant,
  ): Promise<{ readonly kind: 'revoked' } | { readonly kind: 'unknown' }> {
    const { count } = await this.#connection.write(this.#statements.revoke, [id, at]);
    return { kind: count === 1 ? 'revoked' : 'unknown' };
  }

  async touch(id: ApiKeyId, at: Instant, unlessSince: Instant): Promise<void> {
    await this.#connection.write(this.#statements.touch, [id, at, unlessSince]);
  }

  async #insert(
    statement: Statement,
    key: ApiKey,
  ): Promise<{ readonly kind: 'created' } | { readonly kind: 'exists' }> {
    const { count } = await this.#connection.write(statement, [
      key.id,
      key.account,
      JSON.stringify(key.scopes),
      key.label,
      key.secretHash,
      key.createdAt,
      key.lastUsedAt,
      key.revokedAt,
    ]);
    return { kind: count === 1 ? 'created' : 'exists' };
  }
}
