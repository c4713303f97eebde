import type { ApiKeyId } from '../domain/api-key.ts';
import type { Sha256 } from '../domain/sha256.ts';

/** A key as its holder shows it, taken apart. */
export interface PresentedKey {
  readonly id: ApiKeyId;
  readonly secretHash: Sha256;
}

/** A key that was just made; its text is shown once and never stored. */
export interface MintedKeyText extends PresentedKey {
  readonly text: string;
}

/** Makes and reads the text of API keys, `pf_<key id>_<secret>`. Web Crypto and key services answer promises. */
export interface ApiKeySecrets {
  /**
   * A new key of 256 random bits.
   * @promise api-key-secrets/mint: a minted text reads as its id and hash, and no two are alike
   */
  mint(): Promise<MintedKeyText> | MintedKeyText;

  /** @promise api-key-secrets/read: a text that is not well-formed is undefined, of any length and in any characters */
  read(text: string): Promise<PresentedKey | undefined> | PresentedKey | undefined;

  /**
   * Compares two hashes in constant time.
   * @promise api-key-secrets/same: equal hashes are the same, others are not
   */
  same(one: Sha256, other: Sha256): Promise<boolean> | boolean;
}
