import { type Credential, type ListScope, listedAccount, OPERATOR, reachOf } from '../domain/actor.ts';
import { mayManage } from '../domain/api-key.ts';
import {
  type Cause,
  causedBy,
  type EventActor,
  eventOf,
  type Origin,
  unattributed,
} from '../domain/history.ts';
import { type AccountId, accountId } from '../domain/identity.ts';
import {
  after,
  before,
  CLOCK_TOLERANCE,
  type Duration,
  hours,
  type Instant,
  minutes,
} from '../domain/instant.ts';
import {
  LINK_LIFETIME,
  parseSessionId,
  SESSION_LIMITS,
  type Session,
  type SessionId,
  type SessionScope,
  sessionIdOf,
} from '../domain/session.ts';
import { expectStorable } from '../domain/text.ts';
import { succeeds } from '../fault.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import type { Person } from '../ports/identity-provider.ts';
import type { BegunSession } from '../ports/session-store.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import type { Keys, RevokeRequest } from './keys.ts';
import type { Observe } from './measurement.ts';
import { pageLimit } from './paging.ts';

/** A new session, with its token, which is returned only once. */
export interface StartedSession {
  readonly kind: 'started';
  readonly session: Session;
  readonly token: string;
}

/** How long sessions last, and an observer of ended ones. */
export interface SessionOptions {
  /** The lifetime of a session. Default 12 hours. */
  readonly lifetime?: Duration | undefined;
  readonly observe?: Observe | undefined;
}

/**
 * Signs people in to the management screen and out. Tokens are stored only as hashes. In the history, the actor of a session
 * is the operator who made its link, the key that began it, or the person.
 */
export interface Sessions {
  /** Creates a token for one sign-in by link. With the scope `admin` its session administers the service. Default `manage`. */
  offerLink(
    account: string,
    cause?: Cause,
    scope?: SessionScope,
  ): Promise<{ readonly token: string; readonly endsAt: Instant }>;

  /** Begins a session with a link's token; `undefined` if it was used, has ended or is unknown. */
  redeem(token: string, origin?: Origin): Promise<StartedSession | undefined>;

  /**
   * Begins a session with an API key; `undefined` if there is no such key, `forbidden` without the scope `manage`. The
   * history records the refusal of a known key, once a minute for each account.
   */
  signInWithKey(text: string, origin?: Origin): Promise<StartedSession | Refusal<'forbidden'> | undefined>;

  /** Begins a session of a person whom an identity provider knows; refused while the person's account is being erased. */
  signInPerson(
    person: Person,
    origin?: Origin,
  ): Promise<StartedSession | Refusal<'account_blocked' | 'unauthorized'>>;

  /** Records that a person whom an identity provider knows may not sign in, once a minute for each account. */
  refusePerson(person: Person, origin?: Origin): Promise<void>;

  /** Finds the session of a token; `undefined` if it has ended, or the key that began it was revoked. */
  find(token: string, signal?: AbortSignal): Promise<Session | undefined>;

  /** Ends the session of a token, at once and on every node. */
  end(token: string, origin?: Origin): Promise<void>;

  /** Reads a page of the sessions that have not ended. */
  list(request: SessionListRequest): Promise<SessionPage>;

  /** Ends a session that the actor reaches, at once and on every node. */
  endById(request: RevokeRequest): Promise<{ readonly kind: 'ended' } | { readonly kind: 'unknown' }>;
}

export interface SessionListRequest extends ListScope {
  /** The `next` of an earlier page. */
  readonly after?: SessionId;
  /** 1 to 100, or a TypeError is thrown; 20 when absent. */
  readonly limit?: number;
}

/** A page of sessions. It leaves out those of revoked keys, so it may be short without being the last. */
export interface SessionPage {
  readonly sessions: readonly Session[];
  readonly next: SessionId | undefined;
}

/** The ports of `createSessions`. */
export type SessionPorts = Pick<AllPorts, 'sessions' | 'sessionSecrets' | 'apiKeys' | 'clock' | 'ids'>;

/** The lifetime of an administrator's session by an identity provider. */
const ADMIN_LIFETIME: Duration = hours(1);

/**
 * Creates the sessions of the management screen, which work without the other use cases.
 *
 * @example
 * import type { KeyPorts, SessionPorts } from '@pinfold/core';
 * import { createKeys, createSessions } from '@pinfold/core/accounts';
 *
 * declare const ports: KeyPorts & SessionPorts;
 * const sessions = createSessions(ports, createKeys(ports));
 * const { token } = await sessions.offerLink('ada');
 * console.log(token);
 */
export function createSessions(ports: SessionPorts, keys: Keys, options: SessionOptions = {}): Sessions {
  const { sessions, sessionSecrets, clock, ids } = ports;
  const { lifetime = hours(12), observe } = options;
  const limits = SESSION_LIMITS;
  const begin = async (
    session: Session,
    cause: Cause,
    token: string,
    credential?: Credential,
  ): Promise<StartedSession | Refusal<'account_blocked' | 'unauthorized'>> => {
    const { startedAt: now, account } = session;
    const event = eventOf(ids, { type: 'session.started', at: now }, cause, account);
    const begun = await sessions.begin(session, [event], limits, credential);
    if (isRefusal(begun)) return begun;
    reportEnded(begun);
    return { kind: 'started', session, token };
  };
  const reportEnded = ({ ended }: BegunSession): void => {
    if (ended > 0) observe?.({ kind: 'sessions_ended', reason: 'limit', count: ended });
  };
  return {
    async offerLink(name, cause = causedBy(OPERATOR), scope = 'manage') {
      const { text, hash } = await sessionSecrets.mint();
      const account = accountId(name);
      const now = clock.now();
      const endsAt = after(now, LINK_LIFETIME);
      const event = eventOf(ids, { type: 'link.created', at: now }, cause, account);
      const actor: EventActor = { kind: 'operator', id: cause.actor.id };
      await sessions.offer({ tokenHash: hash, account, actor, scope, endsAt }, [event]);
      return { token: text, endsAt };
    },
    async redeem(linkToken, origin) {
      const link = await sessionSecrets.read(linkToken);
      if (link === undefined) return undefined;
      const { token, minted } = await mintSession(ports, lifetime);
      const now = minted.startedAt;
      const session = { ...minted, apiKey: null, displayName: null };
      const event = unattributed(ids, { type: 'session.started', at: now }, origin);
      const outcome = await sessions.redeem({ link, now, session, limits }, [event]);
      if (outcome.kind === 'unknown') return undefined;
      reportEnded(outcome);
      return { kind: 'started', session: outcome.session, token };
    },
    async signInWithKey(text, origin) {
      const key = await keys.recognize(text);
      if (key === undefined) return undefined;
      const { account, id } = key;
      const actor: EventActor = { kind: 'key', id };
      const cause = { actor, ...origin };
      if (key.revokedAt !== null || !mayManage(key.scopes)) {
        await noteRefusal(ports, cause, account);
        return key.revokedAt === null ? { kind: 'refused', code: 'forbidden' } : undefined;
      }
      const { token, minted } = await mintSession(ports, lifetime);
      const scope = key.scopes.includes('admin') ? 'admin' : 'manage';
      const session: Session = { ...minted, account, apiKey: id, actor, scope, displayName: null };
      const started = await begin(session, cause, token, { key: id, isKeyStored: true });
      // The key was revoked meanwhile, or its account is being erased, so that it is unknown.
      if (isRefusal(started)) return undefined;
      await succeeds(keys.noteUse(key));
      return started;
    },
    async signInPerson({ account: name, id, displayName, scope }, origin) {
      const account = accountId(name);
      const actor: EventActor = { kind: 'person', id };
      const { token, minted } = await mintSession(ports, scope === 'admin' ? ADMIN_LIFETIME : lifetime);
      const person = { account, actor, scope, displayName: expectStorable(displayName, "a person's name") };
      return await begin({ ...minted, ...person, apiKey: null }, { actor, ...origin }, token);
    },
    refusePerson: async ({ account, id }, origin) =>
      await noteRefusal(ports, { actor: { kind: 'person', id }, ...origin }, accountId(account)),
    async find(token, signal) {
      const hash = await sessionSecrets.read(token);
      const session = hash === undefined ? undefined : await sessions.find(hash, clock.now(), signal);
      return session !== undefined && (await isAlive(ports, session, signal)) ? session : undefined;
    },
    async end(token, origin) {
      const hash = await sessionSecrets.read(token);
      if (hash === undefined) return;
      const at = clock.now();
      const session = await sessions.find(hash, at);
      if (session === undefined) return;
      const { account, actor } = session;
      const event = eventOf(ids, { type: 'session.ended', at }, { actor, ...origin }, account);
      await sessions.end(hash, [event]);
    },
    async list({ after, limit: requested, ...scope }) {
      const limit = pageLimit(requested);
      const account = listedAccount(scope);
      // Skips the session of that id, which is the beginning of a hash: `g` sorts after every hexadecimal digit.
      const last = after === undefined ? undefined : `${after}g`;
      const found = await sessions.list({ account, now: clock.now(), after: last, limit });
      const alive: Session[] = [];
      // One after another, so that a page does not take every connection of the pool.
      for (const session of found) if (await isAlive(ports, session)) alive.push(session);
      const end = found.length < limit ? undefined : found.at(-1);
      return { sessions: alive, next: end && sessionIdOf(end) };
    },
    async endById({ by, id: text, cause = causedBy(by) }) {
      const isReached = reachOf(by);
      const id = parseSessionId(text);
      if (id === undefined) return { kind: 'unknown' };
      const at = clock.now();
      const [session] = await sessions.list({ account: undefined, now: at, after: id, limit: 1 });
      if (session === undefined || sessionIdOf(session) !== id || !isReached(session))
        return { kind: 'unknown' };
      const event = eventOf(ids, { type: 'session.ended', at }, cause, session.account);
      await sessions.end(session.tokenHash, [event]);
      return { kind: 'ended' };
    },
  };
}

async function mintSession({ sessionSecrets, clock }: SessionPorts, lifetime: Duration) {
  const startedAt = clock.now();
  const { text: token, hash: tokenHash } = await sessionSecrets.mint();
  return { token, minted: { tokenHash, startedAt, endsAt: after(startedAt, lifetime) } };
}

/** Whether a session is valid: the key that began it, if any, was not revoked, and it does not begin in the future. */
async function isAlive(
  { apiKeys, clock }: Pick<SessionPorts, 'apiKeys' | 'clock'>,
  { apiKey, startedAt }: Session,
  signal?: AbortSignal,
): Promise<boolean> {
  if (startedAt > after(clock.now(), CLOCK_TOLERANCE)) return false;
  if (apiKey === null) return true;
  return (await apiKeys.find(apiKey, signal))?.revokedAt === null;
}

/** Records a refused sign-in, once a minute for each account. */
async function noteRefusal(
  { sessions, clock, ids }: SessionPorts,
  cause: Cause,
  account: AccountId,
): Promise<void> {
  const at = clock.now();
  const event = eventOf(ids, { type: 'session.refused', at }, cause, account);
  await sessions.refuse({ ...event, account }, before(at, minutes(1)));
}
