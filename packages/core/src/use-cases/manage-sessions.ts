import { type AccountId, accountId } from '../domain/identity.ts';
import { after, type Duration, hours, type Instant } from '../domain/instant.ts';
import type { Session } from '../domain/session.ts';
import type { ApiKeyStore } from '../ports/api-key-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { SessionSecrets } from '../ports/session-secrets.ts';
import type { SessionStore } from '../ports/session-store.ts';
import type { Refusal } from '../refusal.ts';
import type { ManageKeys } from './manage-keys.ts';

/** A session just begun, with the token that is given away this once. */
export interface StartedSession {
  readonly kind: 'started';
  readonly session: Session;
  readonly token: string;
}

/** How long things last. */
export interface SessionOptions {
  /** A session, from its beginning on. Default 12 hours. */
  readonly lifetime?: Duration;
  /** A sign-in link that nobody redeems. Default 1 hour. */
  readonly linkLifetime?: Duration;
}

const PURGED_AT_ONCE = 100;

/**
 * Signs people in to the management screen and out again. Tokens are kept as hashes only.
 *
 * @example
 * import { accountId, ManageKeys, ManageSessions } from '@pinfold/core';
 * import { createMemory } from '@pinfold/memory';
 * import { NodeApiKeySecrets, NodeSessionSecrets, SystemClock } from '@pinfold/platform-node';
 *
 * const ports = { ...createMemory(), apiKeySecrets: new NodeApiKeySecrets(), clock: new SystemClock() };
 * const keys = new ManageKeys(ports);
 * const sessions = new ManageSessions({ ...ports, sessionSecrets: new NodeSessionSecrets() }, keys);
 * const link = await sessions.offerLink(accountId('team-7'));
 */
export class ManageSessions {
  readonly #ports: {
    readonly sessions: SessionStore;
    readonly sessionSecrets: SessionSecrets;
    readonly apiKeys: ApiKeyStore;
    readonly clock: Clock;
  };
  readonly #keys: ManageKeys;
  readonly #lifetime: Duration;
  readonly #linkLifetime: Duration;

  constructor(
    ports: {
      readonly sessions: SessionStore;
      readonly sessionSecrets: SessionSecrets;
      readonly apiKeys: ApiKeyStore;
      readonly clock: Clock;
    },
    keys: ManageKeys,
    options: SessionOptions = {},
  ) {
    this.#ports = ports;
    this.#keys = keys;
    this.#lifetime = options.lifetime ?? hours(12);
    this.#linkLifetime = options.linkLifetime ?? hours(1);
  }

  /** Makes the token of a link that signs in once to `account`, for the operator to hand over. */
  async offerLink(account: AccountId): Promise<{ readonly token: string; readonly endsAt: Instant }> {
    const { text, hash } = this.#ports.sessionSecrets.mint();
    const endsAt = after(this.#ports.clock.now(), this.#linkLifetime);
    await this.#ports.sessions.offer({ tokenHash: hash, account: accountId(account), endsAt });
    return { token: text, endsAt };
  }

  /** Begins a session with a link's token; `undefined` when it was used, has ended or is none. */
  async redeem(token: string): Promise<StartedSession | undefined> {
    const { sessions, sessionSecrets, clock } = this.#ports;
    const link = sessionSecrets.read(token);
    if (link === undefined) return undefined;
    const { text, hash } = sessionSecrets.mint();
    const now = clock.now();
    const session = {
      tokenHash: hash,
      apiKey: null,
      startedAt: now,
      endsAt: after(now, this.#lifetime),
    };
    const outcome = await sessions.redeem({ link, now, session });
    if (outcome.kind === 'unknown') return undefined;
    await sessions.purge(now, PURGED_AT_ONCE);
    return { kind: 'started', session: outcome.session, token: text };
  }

  /** Begins a session with an API key; `undefined` when there is no such key, `forbidden` without the scope `manage`. */
  async signInWithKey(text: string): Promise<StartedSession | Refusal<'forbidden'> | undefined> {
    const { sessions, sessionSecrets, clock } = this.#ports;
    const key = await this.#keys.authenticate(text);
    if (key === undefined) return undefined;
    if (!key.scopes.includes('manage')) return { kind: 'refused', code: 'forbidden' };
    const { text: token, hash } = sessionSecrets.mint();
    const now = clock.now();
    const session: Session = {
      tokenHash: hash,
      account: key.account,
      apiKey: key.id,
      startedAt: now,
      endsAt: after(now, this.#lifetime),
    };
    await sessions.begin(session);
    await this.#keys.noteUse(key);
    await sessions.purge(now, PURGED_AT_ONCE);
    return { kind: 'started', session, token };
  }

  /** The session of a token; `undefined` when it has ended, or the key that began it was revoked. */
  async find(token: string, signal?: AbortSignal): Promise<Session | undefined> {
    const { sessions, sessionSecrets, apiKeys, clock } = this.#ports;
    const hash = sessionSecrets.read(token);
    const session = hash === undefined ? undefined : await sessions.find(hash, clock.now(), signal);
    if (session === undefined || session.apiKey === null) return session;
    const key = await apiKeys.find(session.apiKey, signal);
    return key === undefined || key.revokedAt !== null ? undefined : session;
  }

  /** Ends the session of a token, at once and on every node. */
  async end(token: string): Promise<void> {
    const hash = this.#ports.sessionSecrets.read(token);
    if (hash !== undefined) await this.#ports.sessions.end(hash);
  }
}
