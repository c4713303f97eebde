import type { Account } from './account.ts';
import type { ApiKey } from './api-key.ts';
import type { HistoryEvent } from './history.ts';
import type { Fingerprint } from './idempotency.ts';
import type { RoleId } from './identity.ts';
import type { Instant } from './instant.ts';
import type { EncodedManifest } from './manifest.ts';
import type { NameRecord } from './name.ts';
import type { Role } from './role.ts';
import type { Takedown } from './takedown.ts';
import type { CountedViews } from './views.ts';
import type { Warning } from './warnings.ts';

/** An account as it moves: how far its rate was taken from stays behind. */
export type AccountRecord = Omit<Account, 'publicationsMark'>;

/** A key as it moves: when it was used last stays behind. */
export type ApiKeyRecord = Omit<ApiKey, 'lastUsedAt'>;

/** A name as it moves: `previous` is absent if the name never showed another role. */
export interface MovedName extends Omit<NameRecord, 'previous'> {
  /** The role that it showed before it was last moved. */
  readonly previous?: RoleId;
}

/** A role with all that its publication stored. */
export interface PublicationRecord extends Role {
  /** Null where it has no Idempotency-Key. */
  readonly fingerprint: Fingerprint | null;
  readonly warnings: readonly Warning[];
  /** When the last of its events was: the next one is later. */
  readonly lastEventAt: Instant;
  readonly isExpiryRecorded: boolean;
  /** Null once its archive was removed. */
  readonly manifest: EncodedManifest | null;
}

/** That a role ended, and lost its archive, after its publication's record was taken. */
export type RemovalRecord = Pick<Role, 'id' | 'archive' | 'expiresAt' | 'deletedAt'>;

/** One thing that a database keeps for good, as it moves to another. */
export type MovedRecord =
  | { readonly kind: 'account'; readonly value: AccountRecord }
  | { readonly kind: 'key'; readonly value: ApiKeyRecord }
  | { readonly kind: 'publication'; readonly value: PublicationRecord }
  | { readonly kind: 'name'; readonly value: MovedName }
  | { readonly kind: 'takedown'; readonly value: Takedown }
  | { readonly kind: 'views'; readonly value: CountedViews }
  | { readonly kind: 'event'; readonly value: HistoryEvent }
  | { readonly kind: 'removal'; readonly value: RemovalRecord };
