import type {
  ArchiveId,
  CleanupCount,
  CleanupCountRequest,
  CleanupOutcome,
  CleanupRequest,
  CleanupTask,
  Comparison,
  EncodedManifest,
  Instant,
  Lease,
  Page,
  Publication,
  Reservation,
  ReserveOutcome,
  Role,
  RoleId,
  RoleQuery,
  RoleStore,
  Version,
  Versioned,
} from '@pinfold/core';
import { claimForCleanup, countForCleanup, namedArchives, settleCleanup } from './cleanup.ts';
import type { Connection } from './connection.ts';
import { listRoles } from './list-roles.ts';
import { commit, purge, release, renew, reserve } from './reservations.ts';

/** Each method runs in one turn of the event loop, which is its transaction. */
export class MemoryRoleStore implements RoleStore {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async reserve(request: Reservation): Promise<ReserveOutcome> {
    return reserve(this.#connection.open(), request);
  }

  async renew(lease: Lease, until: Instant): Promise<{ readonly kind: 'held' | 'lost' }> {
    return renew(this.#connection.open(), lease, until);
  }

  async release(lease: Lease): Promise<void> {
    release(this.#connection.open(), lease);
  }

  async commit(
    publication: Publication,
    lease: Lease,
  ): Promise<{ readonly kind: 'committed' | 'lease_lost' }> {
    return commit(this.#connection.open(), publication, lease);
  }

  async load(id: RoleId, signal?: AbortSignal): Promise<Versioned<Role> | undefined> {
    signal?.throwIfAborted();
    const row = this.#connection.open().roles.get(id);
    return row && { value: row.role, version: row.version };
  }

  async save(role: Role, loadedAt: Version): Promise<{ readonly kind: 'saved' | 'conflict' }> {
    const { roles } = this.#connection.open();
    const row = roles.get(role.id);
    if (row?.version !== loadedAt) return { kind: 'conflict' };
    roles.set(role.id, { ...row, role, version: (row.version + 1) as Version });
    return { kind: 'saved' };
  }

  async list(query: RoleQuery): Promise<Page<Role>> {
    return listRoles(this.#connection.open(), query);
  }

  async loadManifest(archive: ArchiveId, signal?: AbortSignal): Promise<EncodedManifest | undefined> {
    signal?.throwIfAborted();
    return this.#connection.open().manifests.get(archive);
  }

  async claimForCleanup(request: CleanupRequest): Promise<readonly CleanupTask[]> {
    return claimForCleanup(this.#connection.open(), request);
  }

  async settleCleanup(task: CleanupTask, outcome: CleanupOutcome): Promise<void> {
    settleCleanup(this.#connection.open(), task, outcome);
  }

  async countForCleanup(request: CleanupCountRequest): Promise<CleanupCount> {
    return countForCleanup(this.#connection.open(), request);
  }

  async whichAreNamed(ids: readonly ArchiveId[]): Promise<ReadonlySet<ArchiveId>> {
    const named = new Set(namedArchives(this.#connection.open()));
    return new Set(ids.filter((id) => named.has(id)));
  }

  async listArchives(after: ArchiveId | undefined, limit: number): Promise<readonly ArchiveId[]> {
    const named = namedArchives(this.#connection.open());
    return named.filter((id) => after === undefined || id > after).slice(0, limit);
  }

  async purge(begunBefore: Instant, limit: number): Promise<number> {
    return purge(this.#connection.open(), begunBefore, limit);
  }

  async loadComparison(): Promise<Versioned<Comparison> | undefined> {
    return this.#connection.open().comparison;
  }

  async keepComparison(
    comparison: Comparison,
    loadedAt: Version | undefined,
  ): Promise<{ readonly kind: 'kept'; readonly version: Version } | { readonly kind: 'conflict' }> {
    const data = this.#connection.open();
    if (data.comparison?.version !== loadedAt) return { kind: 'conflict' };
    const version = ((loadedAt ?? 0) + 1) as Version;
    data.comparison = { value: comparison, version };
    return { kind: 'kept', version };
  }
}
