import { Gate } from '../adapter/gate.ts';
import { type Filename, fingerprintOf, type IdempotencyKey } from '../domain/idempotency.ts';
import {
  type AccountId,
  type ArchiveId,
  accountId,
  archiveCreatedAt,
  type RoleId,
} from '../domain/identity.ts';
import { after, before } from '../domain/instant.ts';
import type { Limits } from '../domain/limits.ts';
import { encodeManifest } from '../domain/manifest.ts';
import { FIRST_GENERATION, type Role } from '../domain/role.ts';
import type { Title } from '../domain/title.ts';
import type { KeptWarning, Warning } from '../domain/warnings.ts';
import { Fault, isFault } from '../fault.ts';
import type { ArchiveInspector } from '../ports/archive-inspector.ts';
import type { ArchiveStorage } from '../ports/archive-storage.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Lease, ReserveOutcome, RoleStore } from '../ports/role-store.ts';
import { discardQuietly, type StagedArchive } from '../ports/staging.ts';
import type { Refusal } from '../refusal.ts';
import { deleteArchive } from './delete-archive.ts';
import { holdLease, LEASE_LOST } from './held-lease.ts';
import { type ProvedArchive, proveArchive } from './prove-archive.ts';

/** A publication whose archive has been received whole. The archive is discarded in the end, whatever comes. */
export interface PublishRequest {
  readonly account: AccountId;
  readonly key: IdempotencyKey;
  readonly filename: Filename;
  readonly title: Title | null;
  readonly archive: StagedArchive;
}

/** `replayed`: the key published this role before, whose state may have changed since. */
export type PublishOutcome =
  | {
      readonly kind: 'published' | 'replayed';
      readonly role: Role;
      readonly warnings: readonly KeptWarning[];
    }
  | Refusal<'idempotency_in_progress' | 'idempotency_mismatch' | 'invalid_archive' | 'refused_by_host'>;

/** What a dry run says of an archive. */
export type CheckOutcome =
  | {
      readonly kind: 'checked';
      readonly fileCount: number;
      readonly size: number;
      readonly warnings: readonly Warning[];
    }
  | Refusal<'invalid_archive' | 'refused_by_host'>;

/** The ports that publishing needs. */
export interface PublishPorts {
  readonly roles: RoleStore;
  readonly archives: ArchiveStorage;
  readonly inspector: ArchiveInspector;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** How far one request has come; it outlives a lost lease. */
interface Progress {
  proved?: ProvedArchive;
  /** Set before the put begins: from then on there may be something to take back. */
  archive?: ArchiveId;
  stored?: true;
  role?: Role;
  /** From then on only the store knows how the publication stands. */
  committing?: true;
}

function overloaded(): Fault {
  return new Fault('publishing_overloaded', 'too many publications are waiting');
}

/** Publishes archives: proves one, stores it, and commits its role, exactly once for a key. */
export class Publish {
  readonly #ports: PublishPorts;
  readonly #limits: Limits;
  readonly #absolutePathsWork: boolean;
  readonly #gate: Gate<AccountId>;

  constructor(ports: PublishPorts, limits: Limits, absolutePathsWork: boolean) {
    this.#ports = ports;
    this.#limits = limits;
    this.#absolutePathsWork = absolutePathsWork;
    this.#gate = new Gate({ places: limits.publishing, queue: limits.publishingQueue, overloaded });
  }

  /**
   * Publishes, or answers what the key stands for already (docs/wire.md#publish-post-apiv1pins). It runs to its end
   * even if the caller has gone.
   *
   * @throws Fault when a port cannot be reached, or `publishing_overloaded`; repeating with the same key is safe.
   */
  async publish(request: PublishRequest): Promise<PublishOutcome> {
    try {
      return await this.#gate.run(accountId(request.account), () => this.#publish(request));
    } finally {
      await discardQuietly(request.archive);
    }
  }

  /** Checks an archive as publishing would, and stores nothing. The archive is discarded in the end. */
  async check(account: AccountId, archive: StagedArchive): Promise<CheckOutcome> {
    try {
      const proved = await this.#gate.run(accountId(account), () => this.#prove(archive));
      if (proved.kind === 'refused') return proved;
      return {
        kind: 'checked',
        fileCount: proved.entries.length,
        size: proved.size,
        warnings: proved.warnings,
      };
    } finally {
      await discardQuietly(archive);
    }
  }

  async #publish(request: PublishRequest): Promise<PublishOutcome> {
    const progress: Progress = {};
    for (;;) {
      const reserved = await this.#reserve(request);
      if (reserved.kind !== 'reserved') {
        await this.#takeBack(progress);
        return await this.#answer(reserved);
      }
      const outcome = await this.#publishUnder(reserved.lease, request, progress);
      if (outcome.kind !== 'lease_lost') return outcome;
    }
  }

  #reserve({ account, key, filename, title, archive }: PublishRequest): Promise<ReserveOutcome> {
    const now = this.#ports.clock.now();
    return this.#ports.roles.reserve({
      account,
      key,
      fingerprint: fingerprintOf(archive.sha256, filename, title),
      token: this.#ports.ids.token(),
      now,
      until: after(now, this.#limits.lease),
    });
  }

  async #answer(held: Exclude<ReserveOutcome, { kind: 'reserved' }>): Promise<PublishOutcome> {
    switch (held.kind) {
      case 'in_progress':
        return { kind: 'refused', code: 'idempotency_in_progress', retryAt: held.until };
      case 'mismatch':
        return { kind: 'refused', code: 'idempotency_mismatch' };
      case 'complete':
        return { kind: 'replayed', role: await this.#load(held.role), warnings: held.warnings };
      default:
        return held satisfies never;
    }
  }

  async #load(id: RoleId): Promise<Role> {
    const loaded = await this.#ports.roles.load(id);
    if (loaded === undefined)
      throw new Fault('store_corrupt', 'a complete key names a role that is not there');
    return loaded.value;
  }

  async #publishUnder(
    lease: Lease,
    request: PublishRequest,
    progress: Progress,
  ): Promise<PublishOutcome | { readonly kind: 'lease_lost' }> {
    const { roles, clock } = this.#ports;
    try {
      return await holdLease(roles, clock, lease, this.#limits, (lost) =>
        this.#work(lease, request, progress, lost),
      );
    } catch (error) {
      if (error === LEASE_LOST) return { kind: 'lease_lost' };
      if (progress.committing !== true) await this.#release(lease);
      throw error;
    }
  }

  async #work(
    lease: Lease,
    request: PublishRequest,
    progress: Progress,
    lost: AbortSignal,
  ): Promise<PublishOutcome | { readonly kind: 'lease_lost' }> {
    const { roles, archives, clock, ids } = this.#ports;
    const proved = progress.proved ?? (await this.#prove(request.archive, lost));
    if (proved.kind === 'refused') {
      await roles.release(lease);
      return proved;
    }
    progress.proved = proved;
    if (progress.stored !== true) {
      progress.archive = ids.archive(clock.now());
      // Not aborted by a lost lease: the staged file can be stored once only, and the commit goes by the token.
      await archives.put(progress.archive, request.archive);
      progress.stored = true;
    } else this.#expectKept(progress.archive as ArchiveId);
    progress.role ??= this.#roleOf(request, proved, progress.archive as ArchiveId);
    progress.committing = true;
    const { role } = progress;
    const { warnings } = proved;
    const outcome = await roles.commit({ role, manifest: encodeManifest(proved.entries), warnings }, lease);
    if (outcome.kind === 'committed') return { kind: 'published', role, warnings };
    delete progress.committing;
    return outcome;
  }

  /** A publication that comes back after a day, as from a machine that slept, must not name what a sweep has removed. */
  #expectKept(archive: ArchiveId): void {
    const { clock } = this.#ports;
    if (archiveCreatedAt(archive) >= before(clock.now(), this.#limits.reservationAge)) return;
    throw new Fault('storage_unavailable', 'the archive was stored so long ago that a sweep may remove it');
  }

  #prove(archive: StagedArchive, signal?: AbortSignal): Promise<ProvedArchive | Refusal<'invalid_archive'>> {
    return proveArchive(this.#ports, archive, this.#limits, this.#absolutePathsWork, signal);
  }

  #roleOf(request: PublishRequest, proved: ProvedArchive, archive: ArchiveId): Role {
    const publishedAt = this.#ports.clock.now();
    return {
      id: this.#ports.ids.role(),
      account: request.account,
      archive,
      idempotencyKey: request.key,
      title: request.title,
      originalFilename: request.filename,
      fileCount: proved.entries.length,
      size: proved.size,
      publishedAt,
      expiresAt: after(publishedAt, this.#limits.lifetime),
      pinned: false,
      deletedAt: null,
      passwordHash: null,
      generation: FIRST_GENERATION,
    };
  }

  /** After a fault the key is freed where that can be done; where not, the lease lapses by itself. */
  async #release(lease: Lease): Promise<void> {
    try {
      await this.#ports.roles.release(lease);
    } catch (error) {
      if (!isFault(error)) throw error;
    }
  }

  /** Removes the archive of a publication that lost its key. What cannot be removed now, the sweep finds. */
  async #takeBack({ archive }: Progress): Promise<void> {
    if (archive !== undefined) await deleteArchive(this.#ports.archives, archive, undefined);
  }
}
