import { sleepUnlessAborted } from '../adapter/abortable.ts';
import type { Semaphore } from '../adapter/semaphore.ts';
import type { PublicationLimits } from '../domain/account.ts';
import type { Credential } from '../domain/actor.ts';
import type { Inadmissible } from '../domain/admission.ts';
import { type EventDraft, eventOf } from '../domain/history.ts';
import {
  type Filename,
  type Fingerprint,
  fingerprintedText,
  type IdempotencyKey,
} from '../domain/idempotency.ts';
import { type AccountId, archiveCreatedAt } from '../domain/identity.ts';
import { after, before, duration } from '../domain/instant.ts';
import type { Limits } from '../domain/limits.ts';
import type { PinName } from '../domain/name.ts';
import type { Password } from '../domain/password.ts';
import { FIRST_GENERATION, type Role } from '../domain/role.ts';
import { encodeManifest } from '../domain/site.ts';
import type { Title } from '../domain/text.ts';
import type { Warning } from '../domain/warnings.ts';
import { Fault, isFault, succeeds } from '../fault.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import type { Clock } from '../ports/clock.ts';
import type { Lease, ReserveOutcome, RoleStore } from '../ports/role-store.ts';
import type { StagedArchive } from '../ports/staging.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { measured, type ProofTools, type ProvedArchive, prove, type Submitter } from './prove-archive.ts';

export const LEASE_LOST: unique symbol = Symbol();

/**
 * Runs `work`, and renews the lease at each third of its length. When the lease is lost, the signal of `work` aborts with
 * {@link LEASE_LOST}. A renewal that fails does not end the work, because the commit checks the lease's token.
 */
export async function holdLease<Result>(
  roles: RoleStore,
  clock: Clock,
  lease: Lease,
  limits: Pick<Limits, 'lease'>,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const working = new AbortController();
  const done = new AbortController();
  const renewing = renewUntilDone();
  renewing.catch((error: unknown) => working.abort(error));
  try {
    return await work(working.signal);
  } finally {
    // The reason null saves the creation of an error with its stack.
    done.abort(null);
    await renewing;
  }

  async function renewUntilDone(): Promise<void> {
    const pause = duration(Math.floor(limits.lease / 3));
    while (await sleepUnlessAborted(clock, pause, done.signal)) {
      const outcome = await roles.renew(lease, after(clock.now(), limits.lease)).catch((error: unknown) => {
        if (!isFault(error) || !error.retryable) throw error;
      });
      if (outcome?.kind !== 'lost') continue;
      working.abort(LEASE_LOST);
      return;
    }
  }
}

export type PublicationPorts = Pick<
  AllPorts,
  'roles' | 'archives' | 'inspector' | 'passwords' | 'clock' | 'ids'
>;

interface Tools extends ProofTools {
  readonly ports: PublicationPorts;
  /** Bounds concurrent proofs. Publications that wait for a disk hold no place in it. */
  readonly proofs: Semaphore<AccountId>;
}

/** A publication with parsed values. */
export interface Wanted extends Submitter {
  /** The quotas of an account without quotas of its own. */
  readonly quotas: PublicationLimits;
  readonly key: IdempotencyKey;
  readonly filename: Filename;
  readonly title: Title | null;
  readonly name: PinName | undefined;
  readonly password: Password | null;
  readonly archive: StagedArchive;
  readonly credential: Credential;
}

/** `replayed`: the key published this role before, whose state may have changed since. */
export type RunOutcome =
  | {
      readonly kind: 'published' | 'replayed';
      readonly role: Role;
      readonly warnings: readonly Warning[];
    }
  | Inadmissible
  | Refusal<
      | 'archive_too_large'
      | 'idempotency_in_progress'
      | 'idempotency_mismatch'
      | 'invalid_filename'
      | 'invalid_idempotency_key'
      | 'invalid_name'
      | 'invalid_password'
      | 'invalid_title'
      | 'refused_by_host'
      | 'unauthorized'
    >;

interface Stored {
  readonly kind: 'stored' | 'committing';
  readonly proved: ProvedArchive;
  readonly role: Role;
}

type UnderLease = RunOutcome | { readonly kind: 'lease_lost' };

/** Runs one publication: proves, stores and commits it, exactly once for its key. */
export class PublicationRun {
  readonly #tools: Tools;
  readonly #wanted: Wanted;
  /** The progress, which outlives a lost lease. */
  #step: ProvedArchive | Stored | undefined;

  constructor(tools: Tools, wanted: Wanted) {
    this.#tools = tools;
    this.#wanted = wanted;
  }

  async run(): Promise<RunOutcome> {
    for (let wasKnown = false; ; ) {
      const reserved = await this.#reserve(wasKnown);
      if (reserved.kind !== 'reserved') {
        const step = this.#step;
        // Another request has published under the key, or the account was erased. The sweep removes an archive that is left.
        if (step?.kind === 'stored') await succeeds(this.#tools.ports.archives.delete(step.role.archive));
        return await this.#answer(reserved);
      }
      wasKnown ||= reserved.isKnown;
      const outcome = await this.#underLease(reserved.lease);
      if (outcome.kind !== 'lease_lost') return outcome;
    }
  }

  async #reserve(wasKnown: boolean): Promise<ReserveOutcome> {
    const { account, key, filename, title, name, credential, archive, quotas } = this.#wanted;
    const { ports, limits } = this.#tools;
    const now = ports.clock.now();
    const fingerprint = await ports.ids.digest(fingerprintedText(archive.sha256, filename, title));
    return ports.roles.reserve({
      account,
      key,
      fingerprint: fingerprint as string as Fingerprint,
      token: ports.ids.token(),
      archiveBytes: archive.size,
      sha256: archive.sha256,
      limits: quotas,
      name,
      credential,
      now,
      until: after(now, limits.lease),
      wasKnown,
    });
  }

  async #answer(held: Exclude<ReserveOutcome, { kind: 'reserved' }>): Promise<RunOutcome> {
    switch (held.kind) {
      case 'refused':
        return held;
      case 'in_progress':
        return { kind: 'refused', code: 'idempotency_in_progress', retryAt: held.until };
      case 'mismatch':
        return { kind: 'refused', code: 'idempotency_mismatch' };
      case 'account_gone':
        // A repeated request is refused, because the caller's key or session is unknown now.
        throw new Fault('store_unavailable', 'the account is not there any more');
    }
    const loaded = await this.#tools.ports.roles.load(held.role);
    if (loaded !== undefined) return { kind: 'replayed', role: loaded.value, warnings: held.warnings };
    throw new Fault('store_corrupt', 'the role of a key is missing');
  }

  async #underLease(lease: Lease): Promise<UnderLease> {
    const { ports, limits } = this.#tools;
    const { roles, clock } = ports;
    try {
      return await holdLease(roles, clock, lease, limits, (lost) => this.#resume(lease, lost));
    } catch (error) {
      if (error === LEASE_LOST) return { kind: 'lease_lost' };
      // If the release fails, the lease lapses.
      if (this.#step?.kind !== 'committing') await succeeds(roles.release(lease));
      throw error;
    }
  }

  /** Proves, stores and commits. Resumes where an earlier lease stopped. */
  async #resume(lease: Lease, lost: AbortSignal): Promise<UnderLease> {
    const { archives, roles } = this.#tools.ports;
    // A failed preparation also fails the put, which reports it.
    const prepare = async () => archives.prepare?.(this.#wanted.archive);
    if (this.#step === undefined) prepare().catch(() => {});
    const step = this.#step ?? (await this.#prove(lost));
    if (isRefusal(step)) {
      await roles.release(lease);
      return step;
    }
    this.#step = step;
    const stored = step.kind === 'proved' ? await this.#store(step, lost) : this.#expectUnswept(step);
    this.#step = { ...stored, kind: 'committing' };
    const outcome = await this.#commit(stored, lease);
    this.#step = stored;
    if (isRefusal(outcome)) {
      await succeeds(archives.delete(stored.role.archive));
      await roles.release(lease);
    }
    return outcome;
  }

  #prove(lost: AbortSignal): ReturnType<typeof prove> {
    const { proofs } = this.#tools;
    return proofs.run(this.#wanted.account, () => prove(this.#tools, this.#wanted, lost), lost);
  }

  /** A lost lease aborts only the hashing: the staged file can be stored only once, and the commit checks the token. */
  async #store(proved: ProvedArchive, lost: AbortSignal): Promise<Stored> {
    const { ports, limits } = this.#tools;
    const { account, key, filename, title, password, archive: staged } = this.#wanted;
    // Hashing is expensive, so it comes after replays and archives that break rules are answered.
    const passwordHash = password && (await ports.passwords.hash(password, account, lost));
    const archive = ports.ids.archive(ports.clock.now());
    await measured(this.#tools, 'store', ports.archives.put(archive, staged));
    const publishedAt = ports.clock.now();
    const role: Role = {
      id: ports.ids.role(),
      account,
      archive,
      idempotencyKey: key,
      title,
      originalFilename: filename,
      fileCount: proved.entries.length,
      size: proved.size,
      archiveBytes: staged.size,
      sha256: staged.sha256,
      publishedAt,
      expiresAt: after(publishedAt, limits.lifetime),
      pinned: false,
      deletedAt: null,
      passwordHash,
      generation: FIRST_GENERATION,
    };
    return { kind: 'stored', proved, role };
  }

  async #commit({ proved: { entries, warnings }, role }: Stored, lease: Lease): Promise<UnderLease> {
    const { roles, ids, clock } = this.#tools.ports;
    const { account, cause, credential, name } = this.#wanted;
    const at = role.publishedAt;
    const drafts: readonly EventDraft[] = [
      { type: 'pin.published', at },
      // Each event of a role is at least a millisecond after the one before.
      ...(name === undefined ? [] : [{ type: 'name.set', at: after(at, duration(1)), name } as const]),
    ];
    const events = drafts.map((draft) => eventOf(ids, draft, cause, account, role.id));
    const publication = {
      role,
      now: clock.now(),
      limits: this.#wanted.quotas,
      manifest: encodeManifest(entries),
      warnings,
      credential,
      name: name && { name, token: ids.nameToken() },
    };
    const outcome = await measured(this.#tools, 'commit', roles.commit(publication, lease, events));
    return outcome.kind === 'committed'
      ? { kind: 'published', role, warnings: outcome.warnings ?? warnings }
      : outcome;
  }

  /** Throws if the sweep may have removed the archive, for example after a day on a machine that slept. */
  #expectUnswept(stored: Stored): Stored {
    const { ports, limits } = this.#tools;
    const oldest = before(ports.clock.now(), limits.reservationAge);
    if (archiveCreatedAt(stored.role.archive) >= oldest) return stored;
    throw new Fault('storage_unavailable', 'the archive is too old');
  }
}
