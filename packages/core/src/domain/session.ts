import type { ApiKeyId } from './api-key.ts';
import type { Sha256 } from './idempotency.ts';
import type { AccountId } from './identity.ts';
import type { Instant } from './instant.ts';

/** A person's stay in the management screen, as it is kept: the token its browser carries is not in it. */
export interface Session {
  readonly tokenHash: Sha256;
  readonly account: AccountId;
  /** The API key that began it, whose end ends it too; null for a sign-in link. */
  readonly apiKey: ApiKeyId | null;
  readonly startedAt: Instant;
  /** From this instant on the session is over. */
  readonly endsAt: Instant;
}

/** A link that begins one session, as it is kept: the token in it is not. */
export interface SignInLink {
  readonly tokenHash: Sha256;
  readonly account: AccountId;
  /** From this instant on it begins no session. */
  readonly endsAt: Instant;
}
