import type { Grant } from '../domain/grant.ts';

/**
 * Signs grants, which only viewers store. May return promises, for Web Crypto and key services; without one, views are
 * faster.
 */
export interface GrantSigner {
  /**
   * Writes a grant as a token of `A-Z a-z 0-9 - _ .`. A viewer's id has at most 255 bytes of UTF-8.
   * @promise grant-signer/verify: every peer with the same secret verifies a signed grant and returns it unchanged
   * @promise grant-signer/token: a token has only URL-safe characters, at most 512
   * @promise grant-signer/hidden: a token does not reveal the viewer without the secret
   */
  sign(grant: Grant): Promise<string> | string;

  /**
   * @promise grant-signer/forged: a token that was changed in any character, truncated, or signed with another secret is undefined
   * @promise grant-signer/rotation: a token signed with an earlier secret verifies while that secret is configured
   */
  verify(token: string): Promise<Grant | undefined> | Grant | undefined;
}
