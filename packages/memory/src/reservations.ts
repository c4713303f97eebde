import type {
  AccountId,
  IdempotencyKey,
  Instant,
  Lease,
  Publication,
  Reservation,
  ReserveOutcome,
  Version,
} from '@pinfold/core';
import type { KeyRow, MemoryData } from './memory-data.ts';

export function reserve(data: MemoryData, request: Reservation): ReserveOutcome {
  const { account, key, fingerprint, token, now, until } = request;
  const held = data.keys.get(rowKey(account, key));
  if (held?.published !== undefined) {
    return held.fingerprint === fingerprint ? { kind: 'complete', ...held.published } : { kind: 'mismatch' };
  }
  if (held !== undefined && held.until > now) {
    return held.fingerprint === fingerprint
      ? { kind: 'in_progress', until: held.until }
      : { kind: 'mismatch' };
  }
  const row = { account, key, fingerprint, token, begunAt: now, until, published: undefined };
  data.keys.set(rowKey(account, key), row);
  return { kind: 'reserved', lease: { account, key, token } };
}

export function renew(data: MemoryData, lease: Lease, until: Instant): { readonly kind: 'held' | 'lost' } {
  const row = heldRow(data, lease);
  if (row === undefined) return { kind: 'lost' };
  data.keys.set(rowKey(lease.account, lease.key), { ...row, until });
  return { kind: 'held' };
}

export function release(data: MemoryData, lease: Lease): void {
  if (heldRow(data, lease) !== undefined) data.keys.delete(rowKey(lease.account, lease.key));
}

export function commit(
  data: MemoryData,
  { role, manifest, warnings }: Publication,
  lease: Lease,
): { readonly kind: 'committed' | 'lease_lost' } {
  const stored = data.keys.get(rowKey(lease.account, lease.key));
  if (stored?.token === lease.token && stored.published?.role === role.id) return { kind: 'committed' };
  const row = heldRow(data, lease);
  if (row === undefined) return { kind: 'lease_lost' };
  data.keys.set(rowKey(lease.account, lease.key), { ...row, published: { role: role.id, warnings } });
  data.manifests.set(role.archive, manifest);
  data.roles.set(role.id, {
    role,
    version: 1 as Version,
    archiveRemoved: false,
    claim: undefined,
    claimableAt: undefined,
    failures: 0,
  });
  return { kind: 'committed' };
}

/** Drops reservations begun before an instant; a complete key is no reservation. */
export function purge(data: MemoryData, begunBefore: Instant, limit: number): number {
  const old = reservationsBegunBefore(data, begunBefore).slice(0, limit);
  for (const key of old) data.keys.delete(key);
  return old.length;
}

/** The keys of their rows. */
export function reservationsBegunBefore(data: MemoryData, instant: Instant): readonly string[] {
  const old = [...data.keys].filter(([, row]) => row.published === undefined && row.begunAt < instant);
  return old.map(([key]) => key);
}

/** The reservation that carries the lease's token and is not complete. */
function heldRow(data: MemoryData, { account, key, token }: Lease): KeyRow | undefined {
  const row = data.keys.get(rowKey(account, key));
  return row?.token === token && row.published === undefined ? row : undefined;
}

function rowKey(account: AccountId, key: IdempotencyKey): string {
  return JSON.stringify([account, key]);
}
