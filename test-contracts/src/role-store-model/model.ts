import {
  type ArchiveId,
  after,
  before,
  type CleanupOutcome,
  type CleanupTask,
  hours,
  type IdempotencyKey,
  type Instant,
  type Lease,
  minutes,
  type Publication,
  type Reservation,
  type ReserveOutcome,
  type Role,
  type RoleId,
  type RoleState,
  stateOf,
  type Token,
} from '@pinfold/core';
import { START } from '../fixtures/clock.ts';
import { aFingerprint, aKey, aPublication, aReservation, aToken } from '../fixtures/roles.ts';

interface ModelKey {
  readonly request: Reservation;
  readonly until: Instant;
  readonly role?: RoleId;
}

interface ModelRole {
  readonly role: Role;
  readonly archiveThere: boolean;
  readonly claim?: Token;
  readonly claimableAt?: Instant;
  readonly failures: number;
  /** Counts what must raise the stored version: saves and claims. */
  readonly changes: number;
  /** Counts what may raise it. */
  readonly settlements: number;
}

/** What was seen of a role when it was loaded. */
export type Glimpse = Pick<ModelRole, 'role' | 'changes' | 'settlements'>;

/** A lease that was once given, and what will be committed with it. */
export interface ModelLease {
  readonly lease: Lease;
  readonly publication: Publication;
}

/** The port's words as the simplest program: no atomicity, no version, no index. */
export class RoleModel {
  now: Instant = START;
  readonly leases: ModelLease[] = [];
  readonly tasks: CleanupTask[] = [];
  readonly #keys: Map<IdempotencyKey, ModelKey> = new Map();
  readonly #roles: Map<RoleId, ModelRole> = new Map();
  #tokens = 0;

  token(): Token {
    this.#tokens += 1;
    return aToken(this.#tokens);
  }

  reservation(key: number, fingerprint: number): Reservation {
    const until = after(this.now, minutes(1));
    return aReservation(key, {
      fingerprint: aFingerprint(fingerprint),
      token: this.token(),
      now: this.now,
      until,
    });
  }

  reserve(request: Reservation): ReserveOutcome {
    const row = this.#keys.get(request.key);
    const same = row?.request.fingerprint === request.fingerprint;
    if (row?.role !== undefined) {
      return same ? { kind: 'complete', role: row.role, warnings: [] } : { kind: 'mismatch' };
    }
    if (row !== undefined && row.until > request.now) {
      return same ? { kind: 'in_progress', until: row.until } : { kind: 'mismatch' };
    }
    const { account, key, token } = request;
    const n = this.leases.length + 1;
    const publishedAt = request.now;
    const publication = aPublication(n, {
      idempotencyKey: key,
      publishedAt,
      expiresAt: after(publishedAt, hours(7 * 24)),
    });
    this.#keys.set(key, { request, until: request.until });
    this.leases.push({ lease: { account, key, token }, publication });
    return { kind: 'reserved', lease: { account, key, token } };
  }

  renew(lease: Lease, until: Instant): 'held' | 'lost' {
    const row = this.#held(lease);
    if (row === undefined) return 'lost';
    this.#keys.set(lease.key, { ...row, until });
    return 'held';
  }

  release(lease: Lease): void {
    if (this.#held(lease) !== undefined) this.#keys.delete(lease.key);
  }

  commit({ lease, publication: { role } }: ModelLease): 'committed' | 'lease_lost' {
    const row = this.#keys.get(lease.key);
    if (row?.request.token === lease.token && row.role === role.id) return 'committed';
    const held = this.#held(lease);
    if (held === undefined) return 'lease_lost';
    this.#keys.set(lease.key, { ...held, role: role.id });
    this.#roles.set(role.id, { role, archiveThere: true, failures: 0, changes: 0, settlements: 0 });
    return 'committed';
  }

  /** The `n`th role that was committed, counted round and round. */
  committed(n: number): RoleId | undefined {
    const ids = [...this.#roles.keys()];
    return ids[n % Math.max(1, ids.length)];
  }

  glimpse(id: RoleId): Glimpse | undefined {
    return this.#roles.get(id);
  }

  save(role: Role): void {
    const row = this.#roles.get(role.id);
    if (row !== undefined) this.#roles.set(role.id, { ...row, role, changes: row.changes + 1 });
  }

  hasArchive(id: RoleId): boolean {
    return this.#roles.get(id)?.archiveThere === true;
  }

  named(): readonly ArchiveId[] {
    const rows = [...this.#roles.values()].filter(({ archiveThere }) => archiveThere);
    return rows.map(({ role }) => role.archive).sort();
  }

  /** Roles newest first; without a state, all but deleted ones. */
  list(state: RoleState | undefined): readonly Role[] {
    const roles = [...this.#roles.values()].map(({ role }) => role);
    const wanted = roles.filter((role) => {
      const present = stateOf(role, this.now);
      return state === undefined ? present !== 'deleted' : present === state;
    });
    return wanted.sort((one, two) => two.publishedAt - one.publishedAt || (one.id > two.id ? -1 : 1));
  }

  byKey(key: number): readonly Role[] {
    return [...this.#roles.values()]
      .map(({ role }) => role)
      .filter((role) => role.idempotencyKey === aKey(key));
  }

  /** Since when each role that can be claimed has been waiting. */
  claimable(): ReadonlyMap<RoleId, number> {
    const endedBefore = before(this.now, hours(1));
    const waiting = new Map<RoleId, number>();
    for (const { role, archiveThere, claimableAt } of this.#roles.values()) {
      const end = Math.min(
        role.deletedAt ?? Number.POSITIVE_INFINITY,
        role.expiresAt ?? Number.POSITIVE_INFINITY,
      );
      const isDue = claimableAt === undefined || claimableAt <= this.now;
      if (archiveThere && end <= endedBefore && isDue) waiting.set(role.id, claimableAt ?? end);
    }
    return waiting;
  }

  claim(id: RoleId, token: Token, until: Instant): CleanupTask {
    const row = this.#roles.get(id);
    if (row === undefined) throw new Error('a role was claimed that was never committed');
    this.#roles.set(id, { ...row, claim: token, claimableAt: until, changes: row.changes + 1 });
    const { account, archive } = row.role;
    const task = { role: id, account, archive, token, failures: row.failures };
    this.tasks.push(task);
    return task;
  }

  settle(task: CleanupTask, outcome: CleanupOutcome): void {
    const row = this.#roles.get(task.role);
    if (row?.claim !== task.token) return;
    const { claim: _, ...rest } = row;
    const settled =
      outcome.kind === 'removed'
        ? { archiveThere: false }
        : { claimableAt: outcome.retryAt, failures: row.failures + 1 };
    this.#roles.set(task.role, { ...rest, ...settled, settlements: row.settlements + 1 });
  }

  purge(begunBefore: Instant): number {
    const old = this.begunBefore(begunBefore);
    for (const key of old) this.#keys.delete(key);
    return old.length;
  }

  /** The keys of reservations begun before an instant. */
  begunBefore(instant: Instant): readonly IdempotencyKey[] {
    const old = [...this.#keys].filter(([, row]) => row.role === undefined && row.request.now < instant);
    return old.map(([key]) => key);
  }

  #held(lease: Lease): ModelKey | undefined {
    const row = this.#keys.get(lease.key);
    return row?.request.token === lease.token && row.role === undefined ? row : undefined;
  }
}
