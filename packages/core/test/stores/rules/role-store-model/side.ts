import type {
  ArchiveId,
  Authority,
  CleanupOutcome,
  CleanupRequest,
  Comparison,
  EventId,
  HistoryEvent,
  Instant,
  LoadedRole,
  PublicationLimits,
  Reservation,
  Role,
  RoleQuery,
  RoleState,
  RoleStore,
} from '@pinfold/core';
import { roleCursorOf } from '@pinfold/core/adapter';
import { anEvent, aRole, aRoleId } from '@pinfold/test-contracts/fixtures';
import {
  areAlike,
  asks,
  carelessly,
  type Heard,
  heard,
  type Manner,
  walkArchives,
  walkList,
} from '@pinfold/test-contracts/internal';
import { anArchive, type Made, Notes, nearly, numberOf } from './notes.ts';
import type { Values } from './values.ts';

/** One handle of a store. Its answers are equal for all sound stores. */
export class Side {
  readonly notes: Notes;
  readonly #store: RoleStore;

  constructor(store: RoleStore, notes: Notes = new Notes()) {
    this.#store = carelessly(store);
    this.notes = notes;
  }

  async reserve(request: Reservation): Promise<unknown> {
    const outcome = await this.#store.reserve(request);
    if (outcome.kind === 'reserved') this.notes.leases.push(request);
    return outcome;
  }

  async publish(request: Reservation, made: Made): Promise<unknown> {
    const outcome = await this.#store.reserve(request);
    if (outcome.kind !== 'reserved') return outcome;
    this.notes.leases.push(request);
    return [outcome, await this.commit(0, 0, made, request.now, request.limits)];
  }

  async renew(n: number, until: Instant): Promise<unknown> {
    const lease = this.notes.leases.at(-1 - n);
    return lease && (await this.#store.renew(lease, until));
  }

  async release(n: number): Promise<unknown> {
    const lease = this.notes.leases.at(-1 - n);
    return lease && (await this.#store.release(lease));
  }

  /** Commits one of two roles that a lease may be used for, always as it was at first. */
  async commit(
    n: number,
    other: number,
    { manifest, warnings, ...made }: Made,
    now: Instant,
    limits: PublicationLimits,
  ): Promise<unknown> {
    const { leases, committed, publications } = this.notes;
    const lease = leases.at(-1 - n);
    if (lease === undefined) return undefined;
    const name = `${lease.token} ${other}`;
    const place = committed.size;
    const role: Role = {
      ...aRole(place),
      ...made,
      account: lease.account,
      archive: anArchive(place),
      idempotencyKey: lease.key,
      pinned: made.expiresAt === null,
      expiresAt: this.notes.own(made.expiresAt, 'role', place),
      deletedAt: this.notes.own(made.deletedAt, 'role', place),
    };
    const publication = committed.get(name) ?? { role, now, limits, manifest, warnings };
    committed.set(name, publication);
    const outcome = await this.#store.commit({ ...publication, now, limits }, lease, this.#events(1));
    if (outcome.kind === 'committed' && !publications.includes(publication)) publications.push(publication);
    return outcome;
  }

  async load(n: number, place: number): Promise<unknown> {
    const { publications, looks } = this.notes;
    const id = publications.at(-1 - n)?.role.id ?? aRoleId(n);
    const loaded = await this.#store.load(id);
    if (loaded !== undefined) looks.set(`${id} ${place}`, loaded);
    return this.#said(loaded);
  }

  async save(
    n: number,
    place: number,
    change: Partial<Made>,
    count: number,
    authority?: Authority,
  ): Promise<unknown> {
    const { notes } = this;
    const publication = notes.publications.at(-1 - n);
    const look = publication && notes.looks.get(`${publication.role.id} ${place}`);
    if (look === undefined) return undefined;
    const { value, version } = look;
    const endOf = (at: Instant | null = null) => notes.own(at, 'role', numberOf(value.id));
    const end = endOf(change.expiresAt);
    const role: Role = {
      ...value,
      ...change,
      ...('expiresAt' in change ? { expiresAt: end, pinned: end === null } : {}),
      ...('deletedAt' in change ? { deletedAt: endOf(change.deletedAt) } : {}),
      ...('passwordHash' in change ? { generation: (value.generation + 1) as Role['generation'] } : {}),
    };
    return await this.#store.save(role, version, this.#events(count), authority);
  }

  async claim({ until, ...request }: CleanupRequest): Promise<unknown> {
    const { notes } = this;
    notes.claims += 1;
    const lapse = notes.own(until, 'claim', notes.claims) as Instant;
    const tasks = await this.#store.claimForCleanup({ ...request, until: lapse });
    const ordered = tasks.toSorted((one, other) => (one.role < other.role ? -1 : 1));
    // Those that were claimed together wait equally long from then on.
    const first = tasks.flatMap(({ role }) => (notes.claimed.has(role) ? [] : [role]));
    for (const { role } of tasks) notes.claimed.add(role);
    notes.tasks.push(...ordered);
    return { tasks: ordered, first };
  }

  async settle(n: number, outcome: CleanupOutcome, count: number): Promise<unknown> {
    const { notes } = this;
    const task = notes.tasks.at(-1 - n);
    if (task === undefined) return undefined;
    const settled =
      outcome.kind === 'removed'
        ? outcome
        : { ...outcome, retryAt: notes.own(outcome.retryAt, 'retry', numberOf(task.role)) as Instant };
    // A settlement may raise the role's version, or not.
    for (const handle of [0, 1]) notes.looks.delete(`${task.role} ${handle}`);
    return await this.#store.settleCleanup(task, settled, this.#events(count));
  }

  /** Which are dropped first is the store's to say, so all are, page by page. */
  async purge(before: Instant, limit: number): Promise<unknown> {
    const counts: number[] = [];
    do counts.push(await this.#store.purge(before, limit));
    while (limit > 0 && counts.at(-1) === limit && counts.length < 100);
    return counts;
  }

  async saveComparison(comparison: Comparison, age: number): Promise<unknown> {
    const { comparisons } = this.notes;
    const version = comparisons.at(-1 - age);
    const outcome = await this.#store.saveComparison(comparison, version);
    if (outcome.kind === 'saved') comparisons.push(outcome.version);
    return outcome.kind;
  }

  /** Everything behind one of the roles that were published, or from the first on. */
  async list(query: Partial<RoleQuery>, n?: number, beside = 0): Promise<unknown> {
    const role = n === undefined ? undefined : this.notes.publications.at(-1 - n)?.role;
    const place = role && roleCursorOf(role, query.order);
    const after = place && { ...place, rank: place.rank + beside };
    const pages = await walkList(this.#store, asks({ ...query, after }));
    const items = pages.map((page) => page.items);
    // With a search, pages may be short.
    return query.search === undefined ? items : items.flat();
  }

  async walkArchives(after: ArchiveId | undefined, limit: number): Promise<unknown> {
    return await walkArchives(this.#store, limit, after);
  }

  async roles(): Promise<unknown> {
    const ids = [...this.notes.committed.values()].map(({ role }) => role.id);
    const all = [...ids, ...ids.map(nearly), aRoleId(99)];
    return await Promise.all(all.map(async (id) => this.#said(await this.#store.load(id))));
  }

  /** Questions at once, each twice. */
  async rest(now: Instant, ended: Instant, begun: Instant, limit: number): Promise<unknown> {
    const archives = [...this.notes.committed.values()].map(({ role }) => role.archive);
    const none = archives.map(nearly);
    const store = this.#store;
    const counted = (before: Instant) =>
      store.countForCleanup({ now, endedBefore: before, begunBefore: begun });
    const asked = [0, 1].map(async () => ({
      manifests: await Promise.all([...archives, ...none].map((archive) => store.loadManifest(archive))),
      named: await Promise.all(
        [[...none, ...archives, ...archives], archives.slice(1), none].map((ids) => store.whichAreNamed(ids)),
      ),
      all: await Promise.all([limit, 100].map((most) => this.walkArchives(undefined, most))),
      counts: await Promise.all([ended, begun].map(counted)),
      next: new Set(await store.nextForCleanup({ now, endedBefore: ended, limit: 100 })),
    }));
    const { value, version } = (await store.loadComparison()) ?? {};
    const isNewest = version === this.notes.comparisons.at(-1);
    return { asked: await Promise.all(asked), comparison: value, isNewest };
  }

  /** The answer to a load whose signal is aborted at some time, or that it was aborted. */
  async loadAborted(n: number, manner: Manner): Promise<unknown> {
    const { id, archive } = this.notes.publications.at(-1 - n)?.role ?? {
      id: aRoleId(n),
      archive: anArchive(n),
    };
    const role = await heard(manner, 'load', async (signal) => this.#store.load(id, signal));
    const manifest = await heard(manner, 'load a manifest', (signal) =>
      this.#store.loadManifest(archive, signal),
    );
    const isSame = (came: Heard, answer: unknown) => came === 'aborted' || areAlike(came.answer, answer);
    return [
      isSame(role, await this.#store.load(id)),
      isSame(manifest, await this.#store.loadManifest(archive)),
    ];
  }

  /** Unique events, the same for every store. */
  #events(count: number): readonly HistoryEvent[] {
    return Array.from({ length: count }, () => {
      this.notes.events += 1;
      return anEvent({ id: aRoleId(this.notes.events) as string as EventId });
    });
  }

  async lists(
    { accounts, keys }: Pick<Values, 'accounts' | 'keys'>,
    now: Instant,
    state: RoleState | undefined,
    search: string,
  ): Promise<unknown> {
    const queries = accounts.flatMap((account) => [
      { account, now, state },
      { account, now, search },
      ...keys.slice(0, 5).map((idempotencyKey) => ({ account, now, state, idempotencyKey })),
    ]);
    return await Promise.all([{ account: undefined, now }, ...queries].map((query) => this.list(query)));
  }

  /** A loaded role without its version, which each store chooses itself. */
  #said(loaded: LoadedRole | undefined): unknown {
    if (loaded === undefined) return undefined;
    const { version, ...rest } = loaded;
    return rest;
  }
}
