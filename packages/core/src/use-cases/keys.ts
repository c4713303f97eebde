import { type Actor, boundTo, OPERATOR, reachOf } from '../domain/actor.ts';
import type { Unchangeable } from '../domain/admission.ts';
import { type ApiKey, DEFAULT_SCOPES, KNOWN_SCOPES, parseApiKeyId, type Scope } from '../domain/api-key.ts';
import { type Cause, causedBy, eventOf, type HistoryEvent } from '../domain/history.ts';
import { accountId } from '../domain/identity.ts';
import { before, minutes } from '../domain/instant.ts';
import type { ApiKeySecrets, PresentedKey } from '../ports/api-key-secrets.ts';
import type { ApiKeyStore } from '../ports/api-key-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';

/** What a new key is to be. */
export interface NewKey {
  /** The operator, whom neither a block nor the mode of the service binds; when absent, the account. */
  readonly by?: typeof OPERATOR;
  readonly account: string;
  /** For people to tell keys apart; may be empty. */
  readonly label?: string;
  /** Default: to read and to write. */
  readonly scopes?: readonly Scope[];
  /** What the history tells of it; when absent, only whose key it is. */
  readonly cause?: Cause;
}

/** A key just made, with the text that is shown this once. */
export interface MintedKey {
  readonly key: ApiKey;
  readonly text: string;
}

/** Which key to revoke, and in whose name. */
export interface RevokeRequest {
  readonly by: Actor | string;
  readonly id: string;
  /** What the history tells of it; when absent, only in whose name it was. */
  readonly cause?: Cause;
}

/** Makes, lists, revokes and recognises API keys. */
export interface Keys {
  /** Makes a key. In the name of an account that may change nothing, it is refused. */
  create(wish: NewKey & { readonly by: typeof OPERATOR }): Promise<MintedKey>;
  create(wish: NewKey): Promise<MintedKey | Unchangeable>;

  /** Makes the installation's first key, of a given text or a new one; `undefined` when there was one before. */
  createFirst(wish: NewKey, text?: string): Promise<MintedKey | undefined>;

  /**
   * Makes sure that a key of this text is known; one that was revoked stays so.
   *
   * @throws TypeError when the text is no well-formed key.
   */
  ensure(text: string, wish: NewKey): Promise<void>;

  /** The keys an actor reaches, in order of creation. */
  list(by: Actor | string): Promise<readonly ApiKey[]>;

  /** Revokes a key at once, if the actor reaches it. */
  revoke(request: RevokeRequest): Promise<{ readonly kind: 'revoked' } | { readonly kind: 'unknown' }>;

  /** The key of a presented text, be it revoked; `undefined` when it is malformed or unknown. */
  recognise(text: string, signal?: AbortSignal): Promise<ApiKey | undefined>;

  /** The key of a presented text; `undefined` when it is malformed, unknown or revoked. */
  authenticate(text: string, signal?: AbortSignal): Promise<ApiKey | undefined>;

  /** Notes that a key was used, at most once a minute. Meant for after the answer. */
  noteUse(key: ApiKey): Promise<void>;
}

/** The ports that keys need. */
export interface KeyPorts {
  readonly apiKeys: ApiKeyStore;
  readonly apiKeySecrets: ApiKeySecrets;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * Puts the management of API keys together, for those who want it without the other use cases.
 *
 * @example
 * import { type KeyPorts, OPERATOR } from '@pinfold/core';
 * import { createKeys } from '@pinfold/core/accounts';
 *
 * declare const ports: KeyPorts;
 * const keys = createKeys(ports);
 * const { text } = await keys.create({ by: OPERATOR, account: 'ada', label: 'Laptop' });
 * console.log(text);
 */
export function createKeys(ports: KeyPorts): Keys {
  const { apiKeys, apiKeySecrets, clock } = ports;
  const recognise: Keys['recognise'] = async (text, signal) => {
    const presented = apiKeySecrets.read(text);
    const key = presented === undefined ? undefined : await apiKeys.find(presented.id, signal);
    if (presented === undefined || key === undefined) return undefined;
    return apiKeySecrets.same(key.secretHash, presented.secretHash) ? key : undefined;
  };
  return {
    create: (wish: NewKey) => create(ports, wish) as Promise<MintedKey>,
    async createFirst(wish, text) {
      const minted = text === undefined ? apiKeySecrets.mint() : { ...read(ports, text), text };
      const { key, events } = made(ports, minted, wish);
      const outcome = await apiKeys.createFirst(key, events);
      return outcome.kind === 'created' ? { key, text: minted.text } : undefined;
    },
    async ensure(text, wish) {
      const { key, events } = made(ports, read(ports, text), wish);
      await apiKeys.create(key, events, 'operator');
    },
    list: async (by) => await apiKeys.list(boundTo(by)),
    revoke: (request) => revoke(ports, request),
    recognise,
    async authenticate(text, signal) {
      const key = await recognise(text, signal);
      return key?.revokedAt === null ? key : undefined;
    },
    async noteUse({ id, lastUsedAt }) {
      const now = clock.now();
      const since = before(now, minutes(1));
      if (lastUsedAt === null || lastUsedAt <= since) await apiKeys.touch(id, now, since);
    },
  };
}

async function create(ports: KeyPorts, wish: NewKey): Promise<MintedKey | Unchangeable> {
  const authority = wish.by === OPERATOR ? 'operator' : 'account';
  for (;;) {
    const minted = ports.apiKeySecrets.mint();
    const { key, events } = made(ports, minted, wish);
    const outcome = await ports.apiKeys.create(key, events, authority);
    if (outcome.kind === 'refused') return outcome;
    if (outcome.kind === 'created') return { key, text: minted.text };
  }
}

async function revoke(
  { apiKeys, clock, ids }: KeyPorts,
  { by, id: text, cause = causedBy(by) }: RevokeRequest,
): ReturnType<Keys['revoke']> {
  const isReached = reachOf(by);
  const id = parseApiKeyId(text);
  const key = id === undefined ? undefined : await apiKeys.find(id);
  if (key === undefined || !isReached(key)) return { kind: 'unknown' };
  const at = clock.now();
  const event = eventOf(ids, { type: 'key.revoked', at }, cause, key.account);
  return await apiKeys.revoke(key.id, at, [event]);
}

function read({ apiKeySecrets }: KeyPorts, text: string): PresentedKey {
  const presented = apiKeySecrets.read(text);
  if (presented === undefined) throw new TypeError('an API key has the form pf_<key id>_<secret>');
  return presented;
}

/** A new key, and the event of its making. */
function made(
  { clock, ids }: KeyPorts,
  { id, secretHash }: PresentedKey,
  { by, label = '', scopes = DEFAULT_SCOPES, account: name, cause = causedBy(by ?? name) }: NewKey,
): { readonly key: ApiKey; readonly events: readonly HistoryEvent[] } {
  if (!scopes.every((scope) => KNOWN_SCOPES.includes(scope)))
    throw new TypeError('a key has scopes that there are');
  const account = accountId(name);
  const createdAt = clock.now();
  const event = eventOf(ids, { type: 'key.created', at: createdAt }, cause, account);
  const key = { id, account, scopes, label, secretHash, createdAt, lastUsedAt: null, revokedAt: null };
  return { key, events: [event] };
}
