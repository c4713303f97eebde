import type { RoleId } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import type { KeptWarning } from '../domain/warnings.ts';
import type {
  CommitOutcome,
  Lease,
  Reservation,
  ReserveOutcome,
  RoleCommit,
  Token,
} from '../ports/role-store.ts';
import { parseJsonList } from './json.ts';

/** The warnings of a publication, or their JSON. */
type StoredWarnings = readonly KeptWarning[] | string | null;

/** The holder of an Idempotency-Key, or the role that was published under it. */
export interface KeyRow {
  readonly fingerprint: string;
  /** Stored when the key is complete: its commit may be repeated. */
  readonly token: Token;
  readonly heldUntil: Instant;
  /** The role published under the key; null while it is reserved. */
  readonly role: RoleId | null;
  /** The warnings of the publication, as JSON. */
  readonly warnings: string | null;
}

/** Judges a reservation by the key's row; `undefined` if the key can be reserved. */
export function judgeHolder(
  row: (Omit<KeyRow, 'warnings'> & { readonly warnings: StoredWarnings }) | undefined,
  { fingerprint, now }: Pick<Reservation, 'fingerprint' | 'now'>,
): ReserveOutcome | undefined {
  if (row === undefined || (row.role === null && row.heldUntil <= now)) return undefined;
  if (row.fingerprint !== fingerprint) return { kind: 'mismatch' };
  if (row.role === null) return { kind: 'in_progress', until: row.heldUntil };
  return {
    kind: 'complete',
    role: row.role,
    warnings: warningsOf(row.warnings),
  };
}

/**
 * Judges a commit by the key's row: `held` while the lease is valid, `committed` if this role was committed before.
 */
export function judgeCommit(
  row: Pick<KeyRow, 'token' | 'role'> | undefined,
  { token }: Pick<Lease, 'token'>,
  role: RoleId,
): 'held' | 'committed' | 'lease_lost' {
  if (row?.token !== token) return 'lease_lost';
  if (row.role === null) return 'held';
  return row.role === role ? 'committed' : 'lease_lost';
}

/**
 * The outcome of a commit that was stored, now or before.
 *
 * @param warnings as the key's row has them.
 */
export function committedAs({ name }: Pick<RoleCommit, 'name'>, warnings: StoredWarnings): CommitOutcome {
  return name === undefined ? { kind: 'committed' } : { kind: 'committed', warnings: warningsOf(warnings) };
}

function warningsOf(stored: StoredWarnings): readonly KeptWarning[] {
  return typeof stored === 'object' && stored !== null
    ? stored
    : (parseJsonList(stored) as readonly KeptWarning[]);
}
