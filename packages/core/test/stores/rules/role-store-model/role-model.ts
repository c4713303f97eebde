import type * as T from '@pinfold/core';
import { after, hours, stateOf } from '@pinfold/core';
import { DROPPED_HASH } from '@pinfold/core/internal';
import { createManualClock } from '@pinfold/test-contracts/fixtures';

interface Holder extends Pick<T.Reservation, 'fingerprint' | 'token'>, Pick<T.RoleCommit, 'warnings'> {
  readonly begunAt: T.Instant;
  readonly heldUntil: T.Instant;
  readonly role: T.RoleId | null;
}

/** A role as a command loaded it, and how many changes it had then. */
export type Snapshot = T.Versioned<T.Role> & Pick<ModelRole, 'change'>;

export interface ModelRole {
  role: T.Role;
  /** Counts the changes: a snapshot of another count has an old version. */
  change: number;
  snapshots: Snapshot[];
  /** The types of its events, the oldest first. */
  readonly events: string[];
  /** Undefined once the archive was removed. */
  manifest: T.EncodedManifest | undefined;
  claim: T.Token | null;
  /** Null before the first claim. */
  claimableAt: T.Instant | null;
  failures: number;
}

/** The rules of the role store, written a second time over Maps; decisions and states are the domain's own. */
export class RoleModel {
  readonly clock = createManualClock();
  readonly keys: Map<string, Holder> = new Map();
  readonly roles: Map<T.RoleId, ModelRole> = new Map();
  /** Every requested lease, reserved or not. */
  readonly leases: T.Lease[] = [];
  readonly tasks: T.CleanupTask[] = [];

  get now(): T.Instant {
    return this.clock.now();
  }

  get rows(): ModelRole[] {
    return [...this.roles.values()];
  }

  reserve({ fingerprint, token, now, until, account, key }: T.Reservation) {
    const name = nameOf({ account, key });
    const holder = this.keys.get(name);
    if (holder !== undefined && (holder.role !== null || holder.heldUntil > now)) {
      if (holder.fingerprint !== fingerprint) return { kind: 'mismatch' };
      if (holder.role !== null) return { kind: 'complete', role: holder.role, warnings: holder.warnings };
      const isOfWrongClock = holder.begunAt > after(now, hours(1));
      if (!isOfWrongClock) return { kind: 'in_progress', until: holder.heldUntil };
    }
    this.keys.set(name, { fingerprint, token, begunAt: now, heldUntil: until, role: null, warnings: [] });
    const isKnown = this.rows.some(({ role }) => role.account === account);
    return { kind: 'reserved', lease: { account, key, token }, isKnown };
  }

  renew(lease: T.Lease, heldUntil: T.Instant) {
    const holder = this.#held(lease);
    if (holder !== undefined) this.keys.set(nameOf(lease), { ...holder, heldUntil });
    return { kind: holder === undefined ? 'lost' : 'held' };
  }

  release(lease: T.Lease): void {
    if (this.#held(lease) !== undefined) this.keys.delete(nameOf(lease));
  }

  #held(lease: T.Lease): Holder | undefined {
    const holder = this.keys.get(nameOf(lease));
    return holder?.token === lease.token && holder.role === null ? holder : undefined;
  }

  commit({ role, manifest, warnings }: T.RoleCommit, lease: T.Lease) {
    const holder = this.keys.get(nameOf(lease));
    const isRepeated = holder?.token === lease.token && holder.role === role.id;
    const held = this.#held(lease);
    if (held === undefined) return { kind: isRepeated ? 'committed' : 'lease_lost' };
    this.keys.set(nameOf(lease), { ...held, role: role.id, warnings });
    const none = { change: 0, snapshots: [], claim: null, claimableAt: null, failures: 0 };
    this.roles.set(role.id, { role, manifest, events: ['pin.published'], ...none });
    return { kind: 'committed' };
  }

  /** Stores the decision on a snapshot, unless the role has changed since. */
  save(row: ModelRole, { change }: Snapshot, { role, events }: T.Decision) {
    if (row.change !== change) return { kind: 'conflict' };
    row.events.push(...events.map(({ type }) => type));
    Object.assign(row, { role, change: change + 1 });
    return { kind: 'saved' };
  }

  /** The roles that a claim may take, those that have waited longest first. */
  claimable(endedBefore: T.Instant): ModelRole[] {
    return this.rows
      .filter(({ role, manifest }) => manifest !== undefined && endOf(role) <= endedBefore)
      .filter(({ claimableAt }) => claimableAt === null || claimableAt <= this.now)
      .sort((one, other) => waitingSince(one) - waitingSince(other));
  }

  claim(rows: readonly ModelRole[], { token, until }: T.CleanupRequest): void {
    for (const row of rows) Object.assign(row, { claim: token, claimableAt: until, change: row.change + 1 });
  }

  settle({ role: id, token }: T.CleanupTask, outcome: T.CleanupOutcome, event: { type: string }): void {
    const row = this.roles.get(id);
    if (row?.claim !== token) return;
    row.events.push(event.type);
    if (outcome.kind === 'failed') {
      // The port does not say whether this raises the version, so older snapshots are dropped.
      const ended = { snapshots: [], claim: null, claimableAt: outcome.retryAt };
      Object.assign(row, { ...ended, failures: row.failures + 1 });
      return;
    }
    const role = { ...row.role, passwordHash: row.role.passwordHash && DROPPED_HASH };
    Object.assign(row, { role, change: row.change + 1, manifest: undefined, claim: null });
    for (const [name, key] of this.keys) if (key.role === id) this.keys.set(name, { ...key, warnings: [] });
  }

  purge(begunBefore: T.Instant): number {
    const isOld = ({ role, begunAt }: Holder): boolean => role === null && begunAt < begunBefore;
    return [...this.keys].filter(([name, holder]) => isOld(holder) && this.keys.delete(name)).length;
  }

  list({ account, state, search, order, now }: T.RoleQuery): T.Role[] {
    const rank = ({ publishedAt, expiresAt, archiveBytes }: T.Role): number => {
      if (order === 'ending') return -(expiresAt ?? Number.MAX_SAFE_INTEGER);
      return order === 'largest' ? archiveBytes : publishedAt;
    };
    return this.rows
      .map(({ role }) => role)
      .filter((role) => account === undefined || role.account === account)
      .filter((role) => (state ? stateOf(role, now) === state : role.deletedAt === null))
      .filter(({ title }) => search === undefined || `${title ?? ''} site.zip`.toLowerCase().includes(search))
      .sort((one, other) => rank(other) - rank(one) || (one.id < other.id ? 1 : -1));
  }
}

function nameOf({ account, key }: Pick<T.Lease, 'account' | 'key'>): string {
  return JSON.stringify([account, key]);
}

function endOf({ deletedAt, expiresAt }: T.Role): number {
  return Math.min(deletedAt ?? Number.POSITIVE_INFINITY, expiresAt ?? Number.POSITIVE_INFINITY);
}

export function waitingSince({ claimableAt, role }: ModelRole): number {
  return claimableAt ?? endOf(role);
}
