import { type Actor, boundTo, reachOf } from '../domain/actor.ts';
import { type ApiKey, type ApiKeyId, DEFAULT_SCOPES, type Scope } from '../domain/api-key.ts';
import { type AccountId, accountId } from '../domain/identity.ts';
import { before, minutes } from '../domain/instant.ts';
import type { ApiKeySecrets, PresentedKey } from '../ports/api-key-secrets.ts';
import type { ApiKeyStore } from '../ports/api-key-store.ts';
import type { Clock } from '../ports/clock.ts';

/** What a new key is to be. */
export interface NewKey {
  readonly account: AccountId;
  /** For people to tell keys apart; may be empty. */
  readonly label?: string;
  /** Default: to read and to write. */
  readonly scopes?: readonly Scope[];
}

/** A key just made, with the text that is shown this once. */
export interface MintedKey {
  readonly key: ApiKey;
  readonly text: string;
}

/**
 * Makes, lists, revokes and recognises API keys.
 *
 * @example
 * import { accountId, ManageKeys } from '@pinfold/core';
 * import { createMemory } from '@pinfold/memory';
 * import { NodeApiKeySecrets, SystemClock } from '@pinfold/platform-node';
 *
 * const ports = { ...createMemory(), apiKeySecrets: new NodeApiKeySecrets(), clock: new SystemClock() };
 * const keys = new ManageKeys(ports);
 * const { text } = await keys.create({ account: accountId('team-7') });
 * const key = await keys.authenticate(text);
 */
export class ManageKeys {
  readonly #store: ApiKeyStore;
  readonly #secrets: ApiKeySecrets;
  readonly #clock: Clock;

  constructor(ports: {
    readonly apiKeys: ApiKeyStore;
    readonly apiKeySecrets: ApiKeySecrets;
    readonly clock: Clock;
  }) {
    this.#store = ports.apiKeys;
    this.#secrets = ports.apiKeySecrets;
    this.#clock = ports.clock;
  }

  /** Makes a key. */
  async create(wish: NewKey): Promise<MintedKey> {
    for (;;) {
      const minted = this.#secrets.mint();
      const key = this.#keyOf(minted, wish);
      const outcome = await this.#store.create(key);
      if (outcome.kind === 'created') return { key, text: minted.text };
    }
  }

  /** Makes the installation's first key, of a given text or a new one; `undefined` when there was one before. */
  async createFirst(wish: NewKey, text?: string): Promise<MintedKey | undefined> {
    const minted = text === undefined ? this.#secrets.mint() : { ...this.#read(text), text };
    const key = this.#keyOf(minted, wish);
    const outcome = await this.#store.createFirst(key);
    return outcome.kind === 'created' ? { key, text: minted.text } : undefined;
  }

  /**
   * Makes sure that a key of this text is known; one that was revoked stays so.
   *
   * @throws TypeError when the text is no well-formed key.
   */
  async ensure(text: string, wish: NewKey): Promise<void> {
    await this.#store.create(this.#keyOf(this.#read(text), wish));
  }

  /** The keys an actor reaches, in order of creation. */
  async list(by: Actor): Promise<readonly ApiKey[]> {
    return await this.#store.list(boundTo(by));
  }

  /** Revokes a key at once, if the actor reaches it. */
  async revoke(
    id: ApiKeyId,
    by: Actor,
  ): Promise<{ readonly kind: 'revoked' } | { readonly kind: 'unknown' }> {
    const isReached = reachOf(by);
    const key = await this.#store.find(id);
    if (key === undefined || !isReached(key)) return { kind: 'unknown' };
    return await this.#store.revoke(id, this.#clock.now());
  }

  /** The key of a presented text; `undefined` when it is malformed, unknown or revoked. */
  async authenticate(text: string, signal?: AbortSignal): Promise<ApiKey | undefined> {
    const presented = this.#secrets.read(text);
    if (presented === undefined) return undefined;
    const key = await this.#store.find(presented.id, signal);
    if (key === undefined || key.revokedAt !== null) return undefined;
    return this.#secrets.same(key.secretHash, presented.secretHash) ? key : undefined;
  }

  /** Notes that a key was used, at most once a minute. Meant for after the answer. */
  async noteUse(key: ApiKey): Promise<void> {
    const now = this.#clock.now();
    const since = before(now, minutes(1));
    if (key.lastUsedAt !== null && key.lastUsedAt > since) return;
    await this.#store.touch(key.id, now, since);
  }

  #read(text: string): PresentedKey {
    const presented = this.#secrets.read(text);
    if (presented === undefined) throw new TypeError('an API key has the form pf_<key id>_<secret>');
    return presented;
  }

  #keyOf({ id, secretHash }: PresentedKey, { label = '', scopes = DEFAULT_SCOPES, ...wish }: NewKey): ApiKey {
    const account = accountId(wish.account);
    const createdAt = this.#clock.now();
    return { id, account, scopes, label, secretHash, createdAt, lastUsedAt: null, revokedAt: null };
  }
}
