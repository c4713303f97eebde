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

/** A proved archive that has been stored, with the role to be committed; while it commits only the store knows more. */
interface Stored {
  readonly kind: 'stored' | 'committing';
  readonly proved: ProvedArchive;
  readonly role: Role;
}

/** One request, and how far it has come, which outlives a lost lease. */
interface Work {
  readonly request: PublishRequest;
  step?: ProvedArchive | Stored;
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
    const work: Work = { request };
    for (;;) {
      const reserved = await this.#reserve(request);
      if (reserved.kind !== 'reserved') {
        await this.#takeBack(work.step);
        return await this.#answer(reserved);
      }
      const outcome = await this.#publishUnder(reserved.lease, work);
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

  async #publishUnder(lease: Lease, work: Work): Promise<PublishOutcome | { readonly kind: 'lease_lost' }> {
    const { roles, clock } = this.#ports;
    try {
      return await holdLease(roles, clock, lease, this.#limits, (lost) => this.#goOn(lease, work, lost));
    } catch (error) {
      if (error === LEASE_LOST) return { kind: 'lease_lost' };
      if (work.step?.kind !== 'committing') await this.#release(lease);
      throw error;
    }
  }

  /** Prove, store, commit: what a lease before this one did is not done again. */
  async #goOn(
    lease: Lease,
    work: Work,
    lost: AbortSignal,
  ): Promise<PublishOutcome | { readonly kind: 'lease_lost' }> {
    const { request } = work;
    const step = work.step ?? (await this.#prove(request.archive, lost));
    if (step.kind === 'refused') {
      await this.#ports.roles.release(lease);
      return step;
    }
    work.step = step;
    const stored = step.kind === 'proved' ? await this.#store(request, step) : this.#expectKept(step);
    work.step = { ...stored, kind: 'committing' };
    const outcome = await this.#commit(stored, lease);
    work.step = stored;
    return outcome;
  }

  /** Not aborted by a lost lease: the staged file can be stored once only, and the commit goes by the token. */
  async #store(request: PublishRequest, proved: ProvedArchive): Promise<Stored> {
    const { archives, clock, ids } = this.#ports;
    const archive = ids.archive(clock.now());
    await archives.put(archive, request.archive);
    return { kind: 'stored', proved, role: this.#roleOf(request, proved, archive) };
  }

  async #commit(
    { proved: { entries, warnings }, role }: Stored,
    lease: Lease,
  ): Promise<PublishOutcome | { readonly kind: 'lease_lost' }> {
    const manifest = encodeManifest(entries);
    const outcome = await this.#ports.roles.commit({ role, manifest, warnings }, lease);
    return outcome.kind === 'committed' ? { kind: 'published', role, warnings } : outcome;
  }

  /** A publication that comes back after a day, as from a machine that slept, must not name what a sweep has removed. */
  #expectKept(stored: Stored): Stored {
    const { clock } = this.#ports;
    const oldest = before(clock.now(), this.#limits.reservationAge);
    if (archiveCreatedAt(stored.role.archive) >= oldest) return stored;
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
  async #takeBack(step: Work['step']): Promise<void> {
    if (step?.kind !== 'stored') return;
    try {
      await this.#ports.archives.delete(step.role.archive);
    } catch (error) {
      if (!isFault(error)) throw error;
    }
  }
}
