import type { RoleId } from '../../domain/identity.ts';
import { after, CLOCK_TOLERANCE } from '../../domain/instant.ts';
import type { Warning } from '../../domain/warnings.ts';
import type {
  CommitOutcome,
  Lease,
  Reservation,
  ReserveOutcome,
  RoleCommit,
} from '../../ports/role-store.ts';
import type { IdempotencyKeyRow } from '../../records/tables/role-tables.ts';

/** The columns for {@link judgeHolder}. */
export const HOLDER = ['fingerprint', 'begunAt', 'heldUntil', 'role', 'warnings'] as const;

/** Decides a reservation by the key's row; undefined if the key can be reserved. */
export function judgeHolder(
  row: Pick<IdempotencyKeyRow, (typeof HOLDER)[number]> | undefined,
  { fingerprint, now, until }: Pick<Reservation, 'fingerprint' | 'now' | 'until'>,
): ReserveOutcome | undefined {
  if (row === undefined || (row.role === null && row.heldUntil <= now)) return undefined;
  if (row.fingerprint !== fingerprint) return { kind: 'mismatch' };
  // A clock that was ahead began or renewed this reservation, which would block the caller until then.
  const isAhead = row.begunAt > after(now, CLOCK_TOLERANCE) || row.heldUntil > after(until, CLOCK_TOLERANCE);
  if (row.role === null && isAhead) return undefined;
  if (row.role === null) return { kind: 'in_progress', until: row.heldUntil };
  return { kind: 'complete', role: row.role, warnings: row.warnings ?? [] };
}

/** Decides a commit by the key's row: `held` while the lease is valid, `committed` if this role was committed before. */
export function judgeCommit(
  row: Pick<IdempotencyKeyRow, 'token' | 'role'> | undefined,
  { token }: Pick<Lease, 'token'>,
  role: RoleId,
): 'held' | 'committed' | 'lease_lost' {
  if (row?.token !== token) return 'lease_lost';
  if (row.role === null) return 'held';
  return row.role === role ? 'committed' : 'lease_lost';
}

/** Makes the outcome of a commit that was stored, now or before. */
export function committedAs(
  { name }: Pick<RoleCommit, 'name'>,
  warnings: readonly Warning[] | null,
): CommitOutcome {
  return name === undefined ? { kind: 'committed' } : { kind: 'committed', warnings: warnings ?? [] };
}
