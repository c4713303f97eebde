import type { Sha256 } from '../domain/idempotency.ts';

/** Makes and reads the tokens of sessions and sign-in links. */
export interface SessionSecrets {
  /**
   * A new token of 256 random bits; its text is given away once and never stored.
   * @promise session-secrets/mint: a minted token is of URL-safe characters, 43 to 100, reads as its hash on every peer, and no two are alike
   */
  mint(): { readonly text: string; readonly hash: Sha256 };

  /** @promise session-secrets/read: a text that is no token is undefined, of any length and in any characters */
  read(text: string): Sha256 | undefined;
}
