import type { ApiKeyId } from '../domain/api-key.ts';
import type { Sha256 } from '../domain/identity.ts';

/** The parts of a key that a caller presents. */
export interface PresentedKey {
  readonly id: ApiKeyId;
  readonly secretHash: Sha256;
}

/** A new key; its text is shown once and never stored. */
export interface MintedKeyText extends PresentedKey {
  readonly text: string;
}

/** Makes and reads the text of API keys, `pf_<key id>_<secret>`. May return promises, for Web Crypto and key services. */
export interface ApiKeySecrets {
  /**
   * Makes a new key of 256 random bits.
   * @promise api-key-secrets/mint: a minted text reads as its id and hash, and no two are alike
   */
  mint(): Promise<MintedKeyText> | MintedKeyText;

  /** @promise api-key-secrets/read: a malformed text, of any length and with any characters, is undefined */
  read(text: string): Promise<PresentedKey | undefined> | PresentedKey | undefined;

  /**
   * Compares two hashes in constant time.
   * @promise api-key-secrets/same: equal hashes are the same, others are not
   */
  same(one: Sha256, other: Sha256): Promise<boolean> | boolean;
}
