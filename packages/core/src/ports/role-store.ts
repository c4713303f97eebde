import type { PublicationLimits } from '../domain/account.ts';
import type { Credential, SaveAuthority } from '../domain/actor.ts';
import type { AdmissionRequest, Inadmissible, Unchangeable } from '../domain/admission.ts';
import type { RoleCursor, RoleFilter } from '../domain/cursor.ts';
import type { HistoryEvent } from '../domain/history.ts';
import type { Fingerprint, IdempotencyKey } from '../domain/idempotency.ts';
import type { AccountId, ArchiveId, Branded, RoleId, Token } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import type { NameRecord, PinName } from '../domain/name.ts';
import type { Comparison } from '../domain/reconciliation.ts';
import type { Generation, Role } from '../domain/role.ts';
import type { EncodedManifest } from '../domain/site.ts';
import type { Warning } from '../domain/warnings.ts';
import type { Refusal } from '../refusal.ts';
import type {
  CleanupCount,
  CleanupCountRequest,
  CleanupOutcome,
  CleanupRequest,
  CleanupTask,
  NextForCleanup,
  StoredCount,
  StoredWindow,
} from './role-cleanup.ts';

/** Counts the changes of a stored role; only the store makes one. */
export type Version = Branded<number, 'Version'>;

/** A stored value with the version it was loaded at. */
export interface Versioned<Value> {
  readonly value: Value;
  readonly version: Version;
}

/** A role, with the state of its account that viewers depend on. */
export interface LoadedRole extends Versioned<Role> {
  /** Whether a block of its account hides its sites. */
  readonly isHidden: boolean;
  /** The generation of its account: a grant is valid for one only. */
  readonly accountGeneration: Generation;
}

/** The right of one publication to its key: valid while the store's row has its token, regardless of clocks. */
export interface Lease {
  readonly account: AccountId;
  readonly key: IdempotencyKey;
  readonly token: Token;
}

/** A request to reserve an Idempotency-Key under a new token while its publication runs. */
export interface Reservation extends Omit<AdmissionRequest, 'isNamed'>, Lease {
  readonly name?: PinName | undefined;
  /** The caller's key or session, which the transaction of the reservation checks. */
  readonly credential?: Credential;
  readonly fingerprint: Fingerprint;
  /** The instant from which another reservation may take the key over. */
  readonly until: Instant;
  /** Whether the account existed at an earlier reservation of the same request, which was lost. */
  readonly wasKnown?: boolean;
}

/** The outcome of a reservation. */
export type ReserveOutcome =
  /** `isKnown`: whether the account exists. */
  | { readonly kind: 'reserved'; readonly lease: Lease; readonly isKnown: boolean }
  | { readonly kind: 'in_progress'; readonly until: Instant }
  | { readonly kind: 'complete'; readonly role: RoleId; readonly warnings: readonly Warning[] }
  | { readonly kind: 'mismatch' }
  /** The account was erased since an earlier reservation. */
  | { readonly kind: 'account_gone' }
  | Inadmissible
  | Refusal<'unauthorized'>;

/** The outcome of a commit; after a refusal no role is stored, and the lease still holds. */
export type CommitOutcome =
  /** For a publication with a name, has all stored warnings, since the commit decides some of them. */
  | { readonly kind: 'committed'; readonly warnings?: readonly Warning[] }
  | { readonly kind: 'lease_lost' }
  | Inadmissible
  | Refusal<'unauthorized'>;

/** Everything that one publication stores. */
export interface RoleCommit {
  readonly role: Role;
  /** The instant of the commit, by which it checks rate and quotas. */
  readonly now: Instant;
  readonly limits: PublicationLimits;
  readonly manifest: EncodedManifest;
  readonly warnings: readonly Warning[];
  /** The caller's key or session, which the transaction of the commit checks. */
  readonly credential?: Credential;
  /** A name to point at the role, with the token for a new name. */
  readonly name?: Pick<NameRecord, 'name' | 'token'> | undefined;
}

/** A query for roles. */
export interface RoleQuery extends RoleFilter {
  readonly now: Instant;
  /** Only the role that this key of the account published, in any state; requires an account. */
  readonly idempotencyKey: IdempotencyKey | undefined;
  readonly after: RoleCursor | undefined;
  /** 1 to 100. */
  readonly limit: number;
}

/** A part of a list. `next` is absent at the end; with `search`, a page may be short without being the last. */
export interface Page<Value, Place = RoleCursor> {
  readonly items: readonly Value[];
  readonly next: Place | undefined;
}

/**
 * Stores roles, manifests and idempotency keys in transactions: a publication is stored whole or not at all. Requests bring
 * the time, which never comes from the database or the host. A write stores its events in the same step.
 *
 * - Concurrent calls on one handle do the same as one after the other.
 * - A result belongs to the caller: no later call changes it.
 */
export interface RoleStore {
  /**
   * - An unlapsed reservation of the same fingerprint is in progress until its instant.
   * - From its instant on, a lapsed reservation is replaced, with any fingerprint.
   * - One that a wrong clock began more than an hour after `now`, or renewed to more than an hour after `until`, is replaced
   *   with the same fingerprint.
   * - A publication past the rate is refused with the instant from which it would pass, and the reservation takes nothing from the rate.
   * - A publication that would exceed a quota is refused with the count that there would be; the key stays free.
   *
   * @promise role-store/reserve-free: a free key is reserved; keys and accounts are compared exactly, and the same key of another account is another key
   * @promise role-store/reserve-mismatch: another fingerprint is a mismatch, in progress or complete, and changes nothing
   * @promise role-store/reserve-complete: a complete key always returns its role, and the stored warnings until the archive is removed
   * @promise role-store/reserve-costless: a reservation for a key in progress, complete or with another fingerprint returns that state, even beyond rate and quotas
   * @promise role-store/reserve-again: a reservation returns whether its account exists; one that replaces a lost one is refused once the account is gone, and the key stays free
   * @promise role-store/reserve-race: of many concurrent calls exactly one reserves
   */
  reserve(request: Reservation): Promise<ReserveOutcome>;

  /**
   * @promise role-store/renew: a reservation is held until the instant it was renewed to; a lease that was replaced, released or completed is lost, and renewing it changes nothing
   */
  renew(lease: Lease, until: Instant): Promise<{ readonly kind: 'held' | 'lost' }>;

  /**
   * @promise role-store/release: a released key is free; a lost lease releases nothing, and a complete key does not change
   */
  release(lease: Lease): Promise<void>;

  /**
   * - With a lease that was replaced, released or completed with another role nothing is stored.
   * - A lapsed lease whose token is still stored commits.
   * - The same lease and role again answer committed, and change nothing.
   *
   * @promise role-store/commit-whole: after a commit, every peer sees role, manifest, warnings and key
   * @promise role-store/commit-large: a manifest of tens of MiB and a thousand warnings are stored whole
   * @promise role-store/commit-another: a lease that was completed with one role stores no other
   * @promise role-store/commit-rate: of many concurrent commits, over all peers, exactly as many pass as the rate allows, then one for each share of its window; a refusal stores nothing, takes nothing from the rate and leaves its lease valid
   * @promise role-store/commit-quota: concurrent publications never exceed a quota together, and a publication that ended by the commit's instant no longer counts; a refused commit stores nothing and keeps its lease
   * @promise role-store/commit-race: of two leases for one key at once at most one commits
   */
  commit(publication: RoleCommit, lease: Lease, events: readonly HistoryEvent[]): Promise<CommitOutcome>;

  /**
   * Loads the newest stored role of any account. May return a role from memory, or throw, without a promise, so callers
   * `await` inside `try`.
   *
   * - An unknown id is undefined.
   *
   * @promise role-store/load-newest: a role is loaded as any peer saved it last, with every field
   * @promise role-store/load-aborted: an aborted signal rejects with its reason
   */
  load(id: RoleId, signal?: AbortSignal): Promise<LoadedRole | undefined> | LoadedRole | undefined;

  /**
   * Stores a changed role with its events, and checks the credential, in one transaction. The default authority is
   * `account`. Only title, expiration, pinning, deletion, password and generation ever change.
   *
   * - The next load returns the changed role, with another version.
   * - A version that is no longer the newest is a conflict, and changes nothing.
   *
   * @promise role-store/save-versions: no version of a role repeats, however often it is saved or claimed
   * @promise role-store/save-race: of many concurrent saves of one version exactly one is stored
   */
  save(
    role: Role,
    loadedAt: Version,
    events: readonly HistoryEvent[],
    authority?: SaveAuthority,
    credential?: Credential,
  ): Promise<{ readonly kind: 'saved' | 'conflict' } | Unchangeable | Refusal<'unauthorized'>>;

  /**
   * - The state is judged at the request's instant; without a state, all but deleted roles are listed.
   * - An idempotency key finds its role in any state, and none of another account.
   * - The listed roles match search, state and cursor together.
   *
   * @promise role-store/list-order: roles are listed newest first by (publishedAt, id), only the account's own; without an account, those of all
   * @promise role-store/list-pages: pages by cursor give every role exactly once, even of one instant and if others are published or changed meanwhile; the last page has no cursor
   * @promise role-store/list-sorted: roles are sorted by end, soonest first and those without one last, or by the size of the archive, largest first, equal ones by id; under any state and search, pages by cursor give every role whose end stays exactly once, even if others are published or changed meanwhile
   * @promise role-store/list-search: a folded text is found in the folded title as it is now, in the folded original file name and in the id, taken literally
   * @promise role-store/list-sparse: a few roles of a state among thousands of others fill their pages as many do
   * @promise role-store/list-search-walk: pages of a search may be short, yet walking them gives every match exactly once
   */
  list(query: RoleQuery): Promise<Page<Role>>;

  /**
   * @promise role-store/manifest-text: the manifest is returned as it was committed; that of an unknown or removed archive is undefined
   * @promise role-store/manifest-aborted: an aborted signal rejects with its reason
   */
  loadManifest(archive: ArchiveId, signal?: AbortSignal): Promise<EncodedManifest | undefined>;

  /**
   * Claims ended roles whose archive is still stored, at most `limit`, those that have waited longest first: since their end
   * or, after a claim, since its retry or lapse was due. Beside other cleanups it claims account by account.
   *
   * - A claim raises the role's version, so that a change decided before it conflicts.
   *
   * @promise role-store/ended: exactly the roles that ended by an instant are counted, named and claimed, longest waiting first; one whose removal failed waits until its retry, and a claim of an earlier instant leaves it
   * @promise role-store/claim-once: a claimed role can be claimed again only from the claim's instant on, whether or not it was saved in between; of concurrent claims, only one gets each role
   * @promise role-store/claim-ahead: a claim that ends over an hour later than one of now, and a retry that is due over an hour later than the longest pause, come from a clock that was ahead: such roles are counted, named and claimed at once, if they ended by the instant
   * @promise role-store/claim-beside: while other cleanups have claims in an account, roles of others are claimed first, and those of that account when nothing else waits
   */
  claimForCleanup(request: CleanupRequest): Promise<readonly CleanupTask[]>;

  /**
   * Ends a claim and stores its events. Only the token decides: a lapsed claim that was not taken over is settled.
   *
   * - Removed: the role stays; its manifest, its warnings and the hash of its password are removed, its archive is no longer named, and it is never claimed again, even after later saves; it remains known that there was a password, and a change decided before conflicts.
   * - Failed: the role is claimed again from the instant of retry on, with one failure more.
   * - Lost: a claim that another took over, or that was settled, settles nothing.
   */
  settleCleanup(task: CleanupTask, outcome: CleanupOutcome, events: readonly HistoryEvent[]): Promise<void>;

  /** Exactly the roles that claims would get and the reservations that purging would drop are counted, and nothing changes. */
  countForCleanup(request: CleanupCountRequest): Promise<CleanupCount>;

  /** The roles that claims would get are named, those that wait longest first and at most the limit, and nothing changes. */
  nextForCleanup(request: NextForCleanup): Promise<readonly RoleId[]>;

  /**
   * Counts the roles of one window that have their archive. `next` is the `after` of the next window; undefined at the end.
   * @promise role-store/count-stored: windows from the first to the last count each publication in service at the instant once, pinned ones apart, and the bytes of every archive that was not removed yet; none reads more roles than the limit
   */
  countStored(
    window: StoredWindow,
  ): Promise<{ readonly counted: StoredCount; readonly next: RoleId | undefined }>;

  /** Returns exactly those of the archives that a record names: of a committed role, and not removed. */
  whichAreNamed(ids: readonly ArchiveId[]): Promise<ReadonlySet<ArchiveId>>;

  /**
   * Lists the archives that records name, in order of id. A page may be short; an empty one is the end.
   *
   * - Pages after an id, up to an empty one, give every named archive exactly once, in order.
   */
  listArchives(after: ArchiveId | undefined, limit: number): Promise<readonly ArchiveId[]>;

  /**
   * Drops reservations begun before an instant; returns how many: fewer than `limit` only when none is left.
   *
   * - The lease of a dropped reservation is lost.
   *
   * @promise role-store/abandoned: exactly the reservations that began before an instant, and no complete key, are counted and purged
   */
  purge(begunBefore: Instant, limit: number): Promise<number>;

  /**
   * Drops title and original file name of roles that ended before an instant; returns how many: fewer than `limit` only when
   * none is left.
   * @promise role-store/drop-titles: exactly the titles and file names of roles that expired or stopped earlier are removed, whether their archive is stored or not; the rest of each role stays, including its key, and a change decided before conflicts
   */
  dropTitles(endedBefore: Instant, limit: number): Promise<number>;

  /** Loads the comparison that any peer stored last, with every field; undefined before the first. */
  loadComparison(): Promise<Versioned<Comparison> | undefined>;

  /**
   * @promise role-store/comparison-conflict: a save with an old version, or with none for a stored comparison, is a conflict and changes nothing
   * @promise role-store/comparison-race: of many concurrent calls with one version, or with none, exactly one is stored
   */
  saveComparison(
    comparison: Comparison,
    loadedAt: Version | undefined,
  ): Promise<{ readonly kind: 'saved'; readonly version: Version } | { readonly kind: 'conflict' }>;
}
