import { setImmediate } from 'node:timers/promises';
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
import { claim, count, listArchives, settle, whichAreNamed } from './role-store/cleanup.ts';
import { keepComparison, loadComparison } from './role-store/comparison.ts';
import { commit, heldBy, purge, release, renew, reserve } from './role-store/keys.ts';
import { findByKey, look } from './role-store/listing.ts';
import { load, loadManifest, save } from './role-store/roles.ts';
import type { Statements } from './sqlite-connection.ts';

/** Keeps roles, manifests and Idempotency-Keys in a SQLite file. */
export class SqliteRoleStore implements RoleStore {
  readonly #connection: Statements;

  constructor(connection: Statements) {
    this.#connection = connection;
  }

  async reserve(request: Reservation): Promise<ReserveOutcome> {
    // A replay needs no lock: what is complete or in progress is so at the moment of the read. And a power cut ends
    // the publication: its reservation may go with it, since the commit forces all that came before it, too.
    const held = await this.#connection.read((prepare) => heldBy(prepare, request));
    return held ?? this.#connection.note((prepare) => reserve(prepare, request));
  }

  renew(lease: Lease, until: Instant): Promise<{ readonly kind: 'held' } | { readonly kind: 'lost' }> {
    return this.#connection.note((prepare) => renew(prepare, lease, until));
  }

  release(lease: Lease): Promise<void> {
    return this.#connection.note((prepare) => release(prepare, lease));
  }

  commit(
    publication: Publication,
    lease: Lease,
  ): Promise<{ readonly kind: 'committed' } | { readonly kind: 'lease_lost' }> {
    return this.#connection.write((prepare) => commit(prepare, publication, lease));
  }

  load(id: RoleId, signal?: AbortSignal): Promise<Versioned<Role> | undefined> {
    return this.#connection.read((prepare) => load(prepare, id), signal);
  }

  save(role: Role, loadedAt: Version): Promise<{ readonly kind: 'saved' } | { readonly kind: 'conflict' }> {
    return this.#connection.write((prepare) => save(prepare, role, loadedAt));
  }

  async list(query: RoleQuery): Promise<Page<Role>> {
    if (query.idempotencyKey !== undefined) {
      return this.#connection.read((prepare) => findByKey(prepare, query));
    }
    // One more than the page holds tells whether there is more; only a search ends a page that is not full.
    const items: Role[] = [];
    let after = query.after;
    do {
      const wanted = query.limit + 1 - items.length;
      const looked = await this.#connection.snapshot((prepare) => look(prepare, query, after, wanted));
      items.push(...looked.roles);
      after = looked.lookedTo;
      if (items.length > query.limit) return fullPage(items.slice(0, query.limit));
      if (query.search !== undefined) return { items, next: after };
      if (after !== undefined) await setImmediate();
    } while (after !== undefined);
    return { items, next: undefined };
  }

  loadManifest(archive: ArchiveId, signal?: AbortSignal): Promise<EncodedManifest | undefined> {
    return this.#connection.read((prepare) => loadManifest(prepare, archive), signal);
  }

  // A cleanup that a power cut makes forgotten is done again, to the same end.
  claimForCleanup(request: CleanupRequest): Promise<readonly CleanupTask[]> {
    return this.#connection.reclaim((prepare) => claim(prepare, request));
  }

  settleCleanup(task: CleanupTask, outcome: CleanupOutcome): Promise<void> {
    return this.#connection.reclaim((prepare) => settle(prepare, task, outcome));
  }

  countForCleanup(request: CleanupCountRequest): Promise<CleanupCount> {
    return this.#connection.read((prepare) => count(prepare, request));
  }

  whichAreNamed(ids: readonly ArchiveId[]): Promise<ReadonlySet<ArchiveId>> {
    return this.#connection.read((prepare) => whichAreNamed(prepare, ids));
  }

  // A sweep asks for page after page, and batch after batch: others get their turn in between.
  async listArchives(after: ArchiveId | undefined, limit: number): Promise<readonly ArchiveId[]> {
    await setImmediate();
    return this.#connection.read((prepare) => listArchives(prepare, after, limit));
  }

  async purge(begunBefore: Instant, limit: number): Promise<number> {
    await setImmediate();
    return this.#connection.reclaim((prepare) => purge(prepare, begunBefore, limit));
  }

  loadComparison(): Promise<Versioned<Comparison> | undefined> {
    return this.#connection.read(loadComparison);
  }

  keepComparison(
    comparison: Comparison,
    loadedAt: Version | undefined,
  ): Promise<{ readonly kind: 'kept'; readonly version: Version } | { readonly kind: 'conflict' }> {
    return this.#connection.reclaim((prepare) => keepComparison(prepare, comparison, loadedAt));
  }
}

function fullPage(items: readonly Role[]): Page<Role> {
  const last = items.at(-1);
  return { items, next: last === undefined ? undefined : { publishedAt: last.publishedAt, id: last.id } };
}
