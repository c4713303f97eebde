import type { AccountId, ApiKey, ApiKeyId, ApiKeyStore, Instant } from '@pinfold/core';
import type { Connection } from './connection.ts';

export class MemoryApiKeyStore implements ApiKeyStore {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async create(key: ApiKey): Promise<{ readonly kind: 'created' | 'exists' }> {
    const { apiKeys } = this.#connection.open();
    if (apiKeys.has(key.id)) return { kind: 'exists' };
    apiKeys.set(key.id, key);
    return { kind: 'created' };
  }

  async createFirst(key: ApiKey): Promise<{ readonly kind: 'created' | 'exists' }> {
    const { apiKeys } = this.#connection.open();
    if (apiKeys.size > 0) return { kind: 'exists' };
    apiKeys.set(key.id, key);
    return { kind: 'created' };
  }

  async find(id: ApiKeyId, signal?: AbortSignal): Promise<ApiKey | undefined> {
    signal?.throwIfAborted();
    return this.#connection.open().apiKeys.get(id);
  }

  async list(account: AccountId | undefined): Promise<readonly ApiKey[]> {
    const all = [...this.#connection.open().apiKeys.values()];
    const wanted = account === undefined ? all : all.filter((key) => key.account === account);
    return wanted.sort((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));
  }

  async revoke(id: ApiKeyId, at: Instant): Promise<{ readonly kind: 'revoked' | 'unknown' }> {
    const { apiKeys } = this.#connection.open();
    const key = apiKeys.get(id);
    if (key === undefined) return { kind: 'unknown' };
    apiKeys.set(id, { ...key, revokedAt: key.revokedAt ?? at });
    return { kind: 'revoked' };
  }

  async touch(id: ApiKeyId, at: Instant, unlessSince: Instant): Promise<void> {
    const { apiKeys } = this.#connection.open();
    const key = apiKeys.get(id);
    if (key === undefined) return;
    const last = key.lastUsedAt ?? Number.NEGATIVE_INFINITY;
    if (last <= unlessSince && last < at) apiKeys.set(id, { ...key, lastUsedAt: at });
  }
}
