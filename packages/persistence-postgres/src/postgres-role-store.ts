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
import type { PostgresConnection } from './postgres-connection.ts';
import {
  type CleanupStatements,
  claim,
  cleanupStatements,
  count,
  listArchives,
  settle,
  whichAreNamed,
} from './role-store/cleanup.ts';
import {
  type ComparisonStatements,
  comparisonStatements,
  keepComparison,
  loadComparison,
} from './role-store/comparison.ts';
import {
  commit,
  type KeyStatements,
  keyStatements,
  purge,
  release,
  renew,
  reserve,
} from './role-store/keys.ts';
import { type ListStatements, list, listStatements } from './role-store/listing.ts';
import { load, loadManifest, type RoleStatements, roleStatements, save } from './role-store/roles.ts';
import { Settlements } from './settlements.ts';
import type { Tables } from './tables.ts';

/** Keeps roles, manifests and Idempotency-Keys in PostgreSQL. */
export class PostgresRoleStore implements RoleStore {
  readonly #connection: PostgresConnection;
  readonly #keys: KeyStatements;
  readonly #roles: RoleStatements;
  readonly #lists: ListStatements;
  readonly #cleanup: CleanupStatements;
  readonly #comparison: ComparisonStatements;
  readonly #settlements: Settlements = new Settlements();

  constructor(connection: PostgresConnection, tables: Tables) {
    this.#connection = connection;
    this.#keys = keyStatements(tables);
    this.#roles = roleStatements(tables);
    this.#lists = listStatements(tables);
    this.#cleanup = cleanupStatements(tables);
    this.#comparison = comparisonStatements(tables);
  }

  reserve(request: Reservation): Promise<ReserveOutcome> {
    return reserve(this.#connection, this.#keys, request);
  }

  renew(lease: Lease, until: Instant): Promise<{ readonly kind: 'held' } | { readonly kind: 'lost' }> {
    return renew(this.#connection, this.#keys, lease, until);
  }

  release(lease: Lease): Promise<void> {
    return release(this.#connection, this.#keys, lease);
  }

  commit(
    publication: Publication,
    lease: Lease,
  ): Promise<{ readonly kind: 'committed' } | { readonly kind: 'lease_lost' }> {
    return commit(this.#connection, this.#keys, publication, lease);
  }

  load(id: RoleId, signal?: AbortSignal): Promise<Versioned<Role> | undefined> {
    return load(this.#connection, this.#roles, id, signal);
  }

  save(role: Role, loadedAt: Version): Promise<{ readonly kind: 'saved' } | { readonly kind: 'conflict' }> {
    return save(this.#connection, this.#roles, role, loadedAt);
  }

  list(query: RoleQuery): Promise<Page<Role>> {
    return list(this.#connection, this.#lists, query);
  }

  loadManifest(archive: ArchiveId, signal?: AbortSignal): Promise<EncodedManifest | undefined> {
    return loadManifest(this.#connection, this.#roles, archive, signal);
  }

  claimForCleanup(request: CleanupRequest): Promise<readonly CleanupTask[]> {
    return claim(this.#connection, this.#cleanup, request);
  }

  settleCleanup(task: CleanupTask, outcome: CleanupOutcome): Promise<void> {
    return this.#settlements.run(() => settle(this.#connection, this.#cleanup, task, outcome));
  }

  countForCleanup(request: CleanupCountRequest): Promise<CleanupCount> {
    return count(this.#connection, this.#cleanup, request);
  }

  whichAreNamed(ids: readonly ArchiveId[]): Promise<ReadonlySet<ArchiveId>> {
    return whichAreNamed(this.#connection, this.#cleanup, ids);
  }

  listArchives(after: ArchiveId | undefined, limit: number): Promise<readonly ArchiveId[]> {
    return listArchives(this.#connection, this.#cleanup, after, limit);
  }

  purge(begunBefore: Instant, limit: number): Promise<number> {
    return purge(this.#connection, this.#keys, begunBefore, limit);
  }

  loadComparison(): Promise<Versioned<Comparison> | undefined> {
    return loadComparison(this.#connection, this.#comparison);
  }

  keepComparison(
    comparison: Comparison,
    loadedAt: Version | undefined,
  ): Promise<{ readonly kind: 'kept'; readonly version: Version } | { readonly kind: 'conflict' }> {
    return keepComparison(this.#connection, this.#comparison, comparison, loadedAt);
  }
}
