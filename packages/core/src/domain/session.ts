import type { ApiKeyId, Scope } from './api-key.ts';
import type { EventActor } from './history.ts';
import type { AccountId, Branded, Sha256 } from './identity.ts';
import { type Duration, hours, type Instant } from './instant.ts';

const ID_CHARACTERS = 16;

/** `manage`: the account's own publications and keys; `admin`: also administers the service. */
export type SessionScope = Extract<Scope, 'manage' | 'admin'>;

/** The id of a session in lists: a part of its token's hash, which gives no access. */
export type SessionId = Branded<string, 'SessionId'>;

export function sessionIdOf({ tokenHash }: Pick<Session, 'tokenHash'>): SessionId {
  return tokenHash.slice(0, ID_CHARACTERS) as SessionId;
}

export function parseSessionId(text: string): SessionId | undefined {
  return /^[0-9a-f]{16}$/.test(text) ? (text as SessionId) : undefined;
}

/** A person's session in the management screen, as it is stored, without its token. */
export interface Session {
  readonly tokenHash: Sha256;
  readonly account: AccountId;
  /** The API key that began it, whose revocation ends it too; null for a sign-in link. */
  readonly apiKey: ApiKeyId | null;
  /** The actor in the history: the key that began it, the operator who made its link, or a person. */
  readonly actor: EventActor;
  readonly scope: SessionScope;
  /** The person's name from an identity provider. */
  readonly displayName: string | null;
  readonly startedAt: Instant;
  /** From this instant on the session is over. */
  readonly endsAt: Instant;
}

/** The maximum number of sessions at the same time; when another begins, the oldest ends. */
export interface SessionLimits {
  /** Sessions of one account by one {@link Session.actor}. */
  readonly ofActor: number;
  readonly ofAccount: number;
}

export const SESSION_LIMITS: SessionLimits = { ofActor: 100, ofAccount: 1_000 };

export const LINK_LIFETIME: Duration = hours(1);

/** A link that begins one session, as it is stored, without its token. */
export interface SignInLink {
  readonly tokenHash: Sha256;
  readonly account: AccountId;
  readonly actor: EventActor;
  readonly scope: SessionScope;
  /** From this instant on it begins no session. */
  readonly endsAt: Instant;
}
