import type { ApiKeyId } from '../../domain/api-key.ts';
import type { IdempotencyKey } from '../../domain/idempotency.ts';
import type { AccountId, RoleId } from '../../domain/identity.ts';
import type { Sha256 } from '../../domain/sha256.ts';

/** The service's mode. Every change of an account shares it, so that none is under way when the mode has changed. */
export const MODE_LOCK = 'mode';
/** The numbers of events in the feed of all accounts. */
export const FEED_LOCK = 'feed';
/** Events that concern no account. */
export const SERVICE_LOCK = 'service';
/** Whether there is any API key. All that create one share it; what creates the very first one holds it alone. */
export const FIRST_KEY_LOCK = 'first key';
/** The comparison of storage with the records. */
export const COMPARISON_LOCK = 'comparison';
/** The mark of an unfinished import. */
export const IMPORT_LOCK = 'import';
/** The last complete export of the schedule. */
export const EXPORT_LOCK = 'export';
/** Counts of views. */
export const VIEWS_LOCK = 'views';
/** The number of pairings under way. */
export const PAIRINGS_LOCK = 'pairings';

/** An account, with all that belongs to it. */
export const accountLock = (account: AccountId): string => `account ${account}`;
/** One key or session, of any account. */
export const credentialLock = (id: ApiKeyId | Sha256): string => `credential ${id}`;
/** One Idempotency-Key of an account. JSON keeps the two apart, with any spaces in them. */
export const idempotencyLock = (account: AccountId, key: IdempotencyKey): string =>
  `idempotency ${JSON.stringify([account, key])}`;
/** The tries of a role's password. */
export const attemptsLock = (role: RoleId): string => `attempts ${role}`;
/** One program that asks for a key. */
export const pairingLock = (secretHash: Sha256): string => `pairing ${secretHash}`;
/** The ZIPs of one content, which may be taken down. */
export const archiveLock = (sha256: Sha256): string => `archive ${sha256}`;

/** The locks that follow from a part of a row: none while the part is unknown or null. */
export function lockOf<Part>(lock: (part: Part) => string, part: Part | null | undefined): readonly string[] {
  return part === undefined || part === null ? [] : [lock(part)];
}
