import type { ApiKeyId } from '../../domain/api-key.ts';
import type { IdempotencyKey } from '../../domain/idempotency.ts';
import type { AccountId, RoleId, Sha256 } from '../../domain/identity.ts';

/** The service's mode. Every change of an account shares it, so that none is still under way after a change of the mode. */
export const MODE_LOCK = 'mode';
/** The numbers of events in the feed of all accounts. */
export const FEED_LOCK = 'feed';
/** Events of no account. */
export const SERVICE_LOCK = 'service';
/** Whether there is any API key. Programs that create one share it; the one for the very first key holds it exclusively. */
export const FIRST_KEY_LOCK = 'first key';
/** The comparison of storage with the records. */
export const COMPARISON_LOCK = 'comparison';
/** The record of an unfinished import. */
export const IMPORT_LOCK = 'import';
/** The last complete export of the schedule. */
export const EXPORT_LOCK = 'export';
/** Counts of views. */
export const VIEWS_LOCK = 'views';
/** The number of pairings under way. */
export const PAIRINGS_LOCK = 'pairings';

/** An account, with everything that belongs to it. */
export const accountLock = (account: AccountId): string => `account ${account}`;
/** One key or session, of any account. */
export const credentialLock = (id: ApiKeyId | Sha256): string => `credential ${id}`;
/** One Idempotency-Key of an account. JSON separates the two, which may have spaces. */
export const idempotencyLock = (account: AccountId, key: IdempotencyKey): string =>
  `idempotency ${JSON.stringify([account, key])}`;
/** The tries of a role's password. */
export const attemptsLock = (role: RoleId): string => `attempts ${role}`;
/** One program that asks for a key. */
export const pairingLock = (secretHash: Sha256): string => `pairing ${secretHash}`;
/** All ZIPs with one SHA-256, for takedowns. */
export const archiveLock = (sha256: Sha256): string => `archive ${sha256}`;

/** The lock for a member of a row; none if the member is unknown or null. */
export function lockOf<Part>(lock: (part: Part) => string, part: Part | null | undefined): readonly string[] {
  return part === undefined || part === null ? [] : [lock(part)];
}
