import { isErasedAccount } from '../domain/account.ts';
import {
  type Actor,
  type Credential,
  type ListScope,
  listedAccount,
  OPERATOR,
  reachOf,
} from '../domain/actor.ts';
import { checkKeyLimit, type Unchangeable } from '../domain/admission.ts';
import {
  type ApiKey,
  DEFAULT_KEY_LIMIT,
  DEFAULT_SCOPES,
  KNOWN_SCOPES,
  parseApiKeyId,
  type Scope,
} from '../domain/api-key.ts';
import { cursorCodec, readInstant } from '../domain/cursor.ts';
import { type Cause, causedBy, eventOf, type HistoryEvent } from '../domain/history.ts';
import { accountId } from '../domain/identity.ts';
import { before, minutes } from '../domain/instant.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import type { PresentedKey } from '../ports/api-key-secrets.ts';
import type { ApiKeyPlace } from '../ports/api-key-store.ts';
import type { KeyQuotaExceeded, Refusal } from '../refusal.ts';
import { cutTo, MAX_LISTED, type PageOutcome, type PageRequest, readPage } from './paging.ts';

/** A new key to create. */
export interface NewKey {
  /** The operator, whom neither a block, the mode of the service nor the limit of keys binds; when absent, the account. */
  readonly by?: typeof OPERATOR;
  readonly account: string;
  /** For people to tell keys apart; may be empty. */
  readonly label?: string | undefined;
  /** Default: to read and to write. */
  readonly scopes?: readonly Scope[] | undefined;
  /** The cause that the history records. Default: the account. */
  readonly cause?: Cause | undefined;
  /** The key or session of who makes it: once it has ended, that is refused. */
  readonly credential?: Credential | undefined;
}

/** A key just made, with the text that is shown this once. */
export interface MintedKey {
  readonly key: ApiKey;
  readonly text: string;
}

/** Which key to revoke, or which session to end, and in whose name. */
export interface RevokeRequest {
  readonly by: Actor | string;
  readonly id: string;
  /** The cause that the history records. Default: the actor. */
  readonly cause?: Cause;
}

/** Which page of keys is wanted. */
export interface KeyListRequest extends PageRequest, ListScope {}

/** Options of `createKeys`. */
export interface KeyOptions {
  /** The most keys of an account that are not revoked; null: any number. Default 100. */
  readonly limit?: number | null | undefined;
}

/** Makes, lists, revokes and recognises API keys. */
export interface Keys {
  /** The most keys of an account that are not revoked; null: any number. */
  readonly limit: number | null;

  /**
   * Makes a key. In the name of an account that may change nothing, or has as many as it may have, it is refused.
   *
   * @throws TypeError for an account that was erased, and to the operator while it is being erased.
   */
  create(wanted: NewKey & { readonly by: typeof OPERATOR }): Promise<MintedKey>;
  create(wanted: NewKey): Promise<MintedKey | Unchangeable | KeyQuotaExceeded | Refusal<'unauthorized'>>;

  /** Why an account would get no further key now, if it has as many as it may have. */
  checkLimit(account: string): Promise<KeyQuotaExceeded | undefined>;

  /** Makes the installation's first key, of a given text or a new one; `undefined` when there was one before. */
  createFirst(wanted: NewKey, text?: string): Promise<MintedKey | undefined>;

  /**
   * Makes sure that a key of this text is known, from now on for ever; one that was revoked stays so.
   *
   * @throws TypeError when the text is no well-formed key.
   */
  ensure(text: string, wanted: NewKey): Promise<void>;

  /** A page of API keys, newest first. */
  list(request: KeyListRequest): Promise<PageOutcome<'keys', ApiKey>>;

  /** Revokes a key at once, if the actor reaches it. */
  revoke(request: RevokeRequest): Promise<{ readonly kind: 'revoked' } | { readonly kind: 'unknown' }>;

  /** The key of a presented text, be it revoked; `undefined` when it is malformed or unknown. */
  recognise(text: string, signal?: AbortSignal): Promise<ApiKey | undefined>;

  /** The key of a presented text; `undefined` when it is malformed, unknown or revoked. */
  authenticate(text: string, signal?: AbortSignal): Promise<ApiKey | undefined>;

  /** Notes that a key was used, at most once a minute. Meant for after the answer. */
  noteUse(key: ApiKey): Promise<void>;
}

const CURSORS = cursorCodec<ApiKeyPlace>({ createdAt: readInstant, id: parseApiKeyId }, ['keys']);

/** The ports of `createKeys`. */
export type KeyPorts = Pick<AllPorts, 'apiKeys' | 'apiKeySecrets' | 'clock' | 'ids'>;

/** Walks all keys that an actor reaches, newest first, a page at a time. */
export async function* everyKey(
  keys: Pick<Keys, 'list'>,
  request: Omit<KeyListRequest, 'cursor' | 'limit'>,
): AsyncGenerator<ApiKey, void> {
  const whole = { ...request, limit: MAX_LISTED };
  for (let part: KeyListRequest | undefined = whole; part !== undefined; ) {
    const page = await keys.list(part);
    if (page.kind === 'refused') throw new TypeError('a cursor of a list of keys is not read by it');
    yield* page.keys;
    part = page.next === undefined ? undefined : { ...whole, cursor: page.next };
  }
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
export function createKeys(ports: KeyPorts, { limit = DEFAULT_KEY_LIMIT }: KeyOptions = {}): Keys {
  const { apiKeys, apiKeySecrets, clock } = ports;
  if (limit !== null && (!Number.isSafeInteger(limit) || limit < 0)) {
    throw new TypeError('the limit of keys is a whole number from 0, or null');
  }
  const recognise: Keys['recognise'] = async (text, signal) => {
    const presented = await apiKeySecrets.read(text);
    if (presented === undefined) return undefined;
    const key = await apiKeys.find(presented.id, signal);
    return key && (await apiKeySecrets.same(key.secretHash, presented.secretHash)) ? key : undefined;
  };
  return {
    limit,
    create: (wanted: NewKey) => create(ports, wanted, limit) as Promise<MintedKey>,
    async checkLimit(account) {
      return limit === null ? undefined : checkKeyLimit(await apiKeys.countLive(accountId(account)), limit);
    },
    async createFirst(wanted, text) {
      const minted = text === undefined ? await apiKeySecrets.mint() : { ...(await read(ports, text)), text };
      const made = newKey(ports, minted, wanted);
      const key = { ...made.key, isEnsured: text !== undefined };
      const outcome = await apiKeys.createFirst(key, made.events);
      return outcome.kind === 'created' ? { key, text: minted.text } : undefined;
    },
    async ensure(text, wanted) {
      const { key, events } = newKey(ports, await read(ports, text), wanted);
      await apiKeys.create({ ...key, isEnsured: true }, events, 'operator');
    },
    async list(request) {
      const account = listedAccount(request);
      return await readPage('keys', request, CURSORS, async (after, limit) =>
        cutTo(await apiKeys.list({ account, after, limit: limit + 1 }), limit),
      );
    },
    async revoke({ by, id: text, cause = causedBy(by) }) {
      const isReached = reachOf(by);
      const id = parseApiKeyId(text);
      const key = id === undefined ? undefined : await apiKeys.find(id);
      if (key === undefined || !isReached(key)) return { kind: 'unknown' };
      const at = clock.now();
      const event = eventOf(ports.ids, { type: 'key.revoked', at }, cause, key.account);
      return await apiKeys.revoke(key.id, at, [event]);
    },
    recognise,
    async authenticate(text, signal) {
      const key = await recognise(text, signal);
      return key?.revokedAt === null ? key : undefined;
    },
    async noteUse({ id, lastUsedAt }) {
      const now = clock.now();
      const since = before(now, minutes(1));
      if ((lastUsedAt ?? 0) <= since) await apiKeys.touch(id, now, since);
    },
  };
}

const ERASING = 'an account that is being erased gets no key';

async function create(
  ports: KeyPorts,
  wanted: NewKey,
  limit: number | null,
): Promise<MintedKey | Unchangeable | KeyQuotaExceeded | Refusal<'unauthorized'>> {
  const authority = wanted.by === OPERATOR ? 'operator' : 'account';
  for (;;) {
    const minted = await ports.apiKeySecrets.mint();
    const { key, events } = newKey(ports, minted, wanted);
    const outcome = await ports.apiKeys.create(key, events, authority, limit, wanted.credential);
    if (outcome.kind === 'refused' && authority === 'operator') throw new TypeError(ERASING);
    if (outcome.kind === 'refused') return outcome;
    if (outcome.kind === 'created') return { key, text: minted.text };
  }
}

async function read({ apiKeySecrets }: KeyPorts, text: string): Promise<PresentedKey> {
  const presented = await apiKeySecrets.read(text);
  if (presented === undefined) throw new TypeError('an API key has the form pf_<key id>_<secret>');
  return presented;
}

function newKey(
  { clock, ids }: KeyPorts,
  { id, secretHash }: PresentedKey,
  { by, label = '', scopes = DEFAULT_SCOPES, account: name, cause: given }: NewKey,
): { readonly key: ApiKey; readonly events: readonly HistoryEvent[] } {
  // Other use cases take the account as `by`.
  if (typeof name !== 'string') throw new TypeError("name the key's account: { account: 'ada' }");
  if (!scopes.every((scope) => KNOWN_SCOPES.includes(scope)))
    throw new TypeError('a key has scopes that there are');
  const account = accountId(name);
  if (isErasedAccount(account)) throw new TypeError('an erased account gets no key');
  const cause = given ?? causedBy(by ?? name);
  const createdAt = clock.now();
  const event = eventOf(ids, { type: 'key.created', at: createdAt }, cause, account);
  const unused = { lastUsedAt: null, revokedAt: null, isEnsured: false };
  return { key: { id, account, scopes, label, secretHash, createdAt, ...unused }, events: [event] };
}
