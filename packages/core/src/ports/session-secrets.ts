import type { Sha256 } from '../domain/identity.ts';

/** A new token; its text is returned once and never stored. */
export interface MintedToken {
  readonly text: string;
  readonly hash: Sha256;
}

/** Makes and reads the tokens of sessions and sign-in links. May return promises, for Web Crypto and key services. */
export interface SessionSecrets {
  /**
   * Makes a new token of 256 random bits.
   * @promise session-secrets/mint: a minted token has 43 to 100 URL-safe characters and reads as its hash on every peer, and no two are alike
   */
  mint(): Promise<MintedToken> | MintedToken;

  /** @promise session-secrets/read: a text that is not a token is undefined, of any length and in any characters */
  read(text: string): Promise<Sha256 | undefined> | Sha256 | undefined;
}
