import type { ApiKeyId, Scope } from './api-key.ts';
import type { Doer } from './history.ts';
import type { Sha256 } from './idempotency.ts';
import type { AccountId } from './identity.ts';
import type { Instant } from './instant.ts';

/** What a session lets its person do: manage their own, or administer the service as well. */
export type SessionScope = Extract<Scope, 'manage' | 'admin'>;

/** A person's stay in the management screen, as it is kept: the token its browser carries is not in it. */
export interface Session {
  readonly tokenHash: Sha256;
  readonly account: AccountId;
  /** The API key that began it, whose end ends it too; null for a sign-in link. */
  readonly apiKey: ApiKeyId | null;
  /** Who acts in it: the key that began it, the operator who made its link, or a person. */
  readonly actor: Doer;
  readonly scope: SessionScope;
  /** What the person is called, where a sign-in elsewhere said so. */
  readonly displayName: string | null;
  readonly startedAt: Instant;
  /** From this instant on the session is over. */
  readonly endsAt: Instant;
}

/** A link that begins one session, as it is kept: the token in it is not. */
export interface SignInLink {
  readonly tokenHash: Sha256;
  readonly account: AccountId;
  /** Who made it. */
  readonly actor: Doer;
  /** From this instant on it begins no session. */
  readonly endsAt: Instant;
}
