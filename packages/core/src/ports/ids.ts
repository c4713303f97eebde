import type { EventId } from '../domain/history.ts';
import type { ArchiveId, RoleId, Sha256, Token } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import type { NameToken } from '../domain/name.ts';

/** Makes unguessable identifiers, and digests of texts. */
export interface Ids {
  /** @promise ids/role: every id is a version 4 UUID in lower case, and no two are alike */
  role(): RoleId;

  /** @promise ids/archive: the instant can be read from the id, and no two are alike */
  archive(createdAt: Instant): ArchiveId;

  /** @promise ids/token: no two tokens are alike */
  token(): Token;

  /** @promise ids/event: every id is a version 4 UUID in lower case, and no two are alike */
  event(): EventId;

  /** @promise ids/name-token: every token is 22 characters of base62 from at least 128 random bits, and no two are alike */
  nameToken(): NameToken;

  /** @promise ids/digest: the SHA-256 of a text in UTF-8, in lower-case hexadecimal digits */
  digest(text: string): Promise<Sha256> | Sha256;
}
