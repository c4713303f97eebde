import type { EventId } from '../domain/history.ts';
import type { ArchiveId, RoleId } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import type { NameToken } from '../domain/name.ts';
import type { Token } from './role-store.ts';

/** Makes identifiers that cannot be guessed. */
export interface Ids {
  /**
   * A random UUID (RFC 9562, version 4) in lower case.
   * @promise ids/role: every id is a version 4 UUID in lower case, and no two are alike
   */
  role(): RoleId;

  /**
   * An archive's id of an instant.
   * @promise ids/archive: the instant can be read from the id, and no two are alike
   */
  archive(createdAt: Instant): ArchiveId;

  /**
   * The token of a lease or a claim.
   * @promise ids/token: no two are alike
   */
  token(): Token;

  /**
   * The id of an event of the history.
   * @promise ids/event: every id is a version 4 UUID in lower case, and no two are alike
   */
  event(): EventId;

  /**
   * The token of a name's address.
   * @promise ids/name-token: every token is 22 characters of base62 from at least 128 random bits, and no two are alike
   */
  nameToken(): NameToken;
}
