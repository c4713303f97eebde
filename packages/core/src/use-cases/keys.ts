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
import { before, type Instant, isRecent, minutes } from '../domain/instant.ts';
import { expectStorable } from '../domain/text.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import type { PresentedKey } from '../ports/api-key-secrets.ts';
import type { ApiKeyPlace } from '../ports/api-key-store.ts';
import type { KeyQuotaExceeded, Refusal } from '../refusal.ts';
import { cutTo, MAX_LISTED, type PageOutcome, type PageRequest, readPage } from './paging.ts';

/** A new key to create. */
export interface NewKey {
  /** The operator, who ignores a block, the mode and the limit of keys. Absent: the account. */
  readonly by?: typeof OPERATOR;
  readonly account: string;
  /** A name for people; may be empty. */
  readonly label?: string | undefined;
  /** Default: to read and to write. */
  readonly scopes?: readonly Scope[] | undefined;
  /** The cause that the history records. Default: the account. */
  readonly cause?: Cause | undefined;
  /** The creator's key or session: once it has ended, creating is refused. */
  readonly credential?: Credential | undefined;
}

/** A new key, with its text, which is shown only once. */
export interface MintedKey {
  readonly key: ApiKey;
  readonly text: string;
}

/** A key to revoke or a session to end, and the actor. */
export interface RevokeRequest {
  readonly by: Actor | string;
  readonly id: string;
  /** The cause that the history records. Default: the actor. */
  readonly cause?: Cause;
}

/** A page of keys to read. */
export interface KeyListRequest extends PageRequest, ListScope {}

/** Options of `createKeys`. */
export interface KeyOptions {
  /** The maximum number of keys of an account that are not revoked; null: any number. Default 100. */
  readonly limit?: number | null | undefined;
}

/** Creates, lists, revokes and checks API keys. */
export interface Keys {
  /** The maximum number of keys of an account that are not revoked; null: any number. */
  readonly limit: number | null;

  /**
   * Creates a key. Refuses an account that may not change anything, or has too many keys.
   *
   * @throws TypeError for an account that was erased, and to the operator while it is being erased; for a label or cause
   * with NUL or half a surrogate pair, which databases and exports cannot store.
   */
  create(wanted: NewKey & { readonly by: typeof OPERATOR }): Promise<MintedKey>;
  create(wanted: NewKey): Promise<MintedKey | Unchangeable | KeyQuotaExceeded | Refusal<'unauthorized'>>;

  /** Checks whether an account may have one more key now. */
  checkLimit(account: string): Promise<KeyQuotaExceeded | undefined>;

  /** Creates the installation's first key, with a given text or a new one; `undefined` if there was a key before. */
  createFirst(wanted: NewKey, text?: string): Promise<MintedKey | undefined>;

  /**
   * Makes sure that a key of this text exists. It is never removed, so that a revoked one remains revoked.
   *
   * @throws TypeError when the text is not a well-formed key.
   */
  ensure(text: string, wanted: NewKey): Promise<void>;

  /** Reads a page, newest first. */
  list(request: KeyListRequest): Promise<PageOutcome<'keys', ApiKey>>;

  /** Revokes a key at once, if the actor reaches it. */
  revoke(request: RevokeRequest): Promise<{ readonly kind: 'revoked' } | { readonly kind: 'unknown' }>;

  /** Finds the key of a text, even a revoked one; `undefined` if it is malformed or unknown. */
  recognize(text: string, signal?: AbortSignal): Promise<ApiKey | undefined>;

  /** Finds the key of a text; `undefined` if it is malformed, unknown or revoked. */
  authenticate(text: string, signal?: AbortSignal): Promise<ApiKey | undefined>;

  /** Records that a key was used, at most once a minute. Call it after the answer. */
  noteUse(key: ApiKey): Promise<void>;
}

/** Keys whose last use, as recorded by this process, is remembered. */
const MAX_NOTED = 10_000;

const CURSORS = cursorCodec<ApiKeyPlace>({ createdAt: readInstant, id: parseApiKeyId }, ['keys']);

/** The ports of `createKeys`. */
export type KeyPorts = Pick<AllPorts, 'apiKeys' | 'apiKeySecrets' | 'clock' | 'ids'>;

/** Iterates over all keys that an actor reaches, newest first, page by page. */
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
 * Creates the management of API keys, which works without the other use cases.
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
  const noted = new Map<ApiKey['id'], Instant>();
  const recognize: Keys['recognize'] = async (text, signal) => {
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
    recognize,
    async authenticate(text, signal) {
      const key = await recognize(text, signal);
      return key?.revokedAt === null ? key : undefined;
    },
    async noteUse({ id, lastUsedAt }) {
      const now = clock.now();
      const since = before(now, minutes(1));
      // Two nodes, one with a wrong clock, replace each other's instant: by that alone, they would record every use.
      if ([lastUsedAt, noted.get(id)].some((at) => at && isRecent(at, since, now))) return;
      if (noted.size >= MAX_NOTED) noted.clear();
      noted.set(id, now);
      await apiKeys.touch(id, now, since);
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
  return {
    key: { id, account, scopes, label: expectStorable(label, 'a label'), secretHash, createdAt, ...unused },
    events: [event],
  };
}
