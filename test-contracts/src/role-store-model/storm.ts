import {
  after,
  type CleanupTask,
  days,
  decide,
  defaultLimits,
  hours,
  type Instant,
  type Lease,
  minutes,
  type Role,
  type RoleCommand,
  type RoleCommit,
  type RoleId,
  type RoleStore,
  type Version,
} from '@pinfold/core';
import { START } from '../fixtures/clock.ts';
import { anEvent, aPublication, aReservation, aToken, leaseOf, publishTo } from '../fixtures/roles.ts';

/** What one of many does at once with the others. */
export type Actor =
  | { readonly type: 'change'; readonly role: number; readonly command: RoleCommand }
  | { readonly type: 'publish'; readonly key: number; readonly renewing: boolean }
  | { readonly type: 'commit late' }
  | { readonly type: 'clean'; readonly limit: number; readonly settling: boolean };

/** A save that was stored: what it was decided from and what it made. */
export interface Saved {
  readonly loadedAt: Version;
  readonly before: Role;
  readonly after: Role;
}

/** A publication that was tried, and whether it was told that it is stored. */
export interface Tried {
  readonly publication: RoleCommit;
  readonly committed: boolean;
}

/** The key under which a lease lapsed before the storm, and one that nobody held. */
export const KEYS: readonly number[] = [51, 52];
const LAPSED = aReservation(51);

/** Actors that work on one store at once, and everything they were told. */
export class Storm {
  readonly now: Instant;
  readonly roles: Role[] = [];
  readonly saved: Saved[] = [];
  readonly seen: Role[] = [];
  readonly tried: Tried[] = [];
  /** The keys that were reserved during the storm, in which no lease lapses and none is released. */
  readonly reserved: number[] = [];
  readonly replayed: { readonly key: number; readonly role: RoleId }[] = [];
  readonly tasks: CleanupTask[] = [];
  readonly #turn: () => Promise<unknown>;

  constructor(now: Instant, turn: () => Promise<unknown>) {
    this.now = now;
    this.#turn = turn;
  }

  /** Publishes roles of each kind, and leaves one lease to lapse. */
  async prepare(port: RoleStore): Promise<void> {
    this.roles.push(await publishTo(port, aPublication(1)));
    this.roles.push(await publishTo(port, aPublication(2, { expiresAt: after(START, hours(1)) })));
    this.roles.push(await publishTo(port, aPublication(3, { pinned: true, expiresAt: null })));
    await port.reserve(LAPSED);
  }

  async act(actor: Actor, port: RoleStore, n: number): Promise<void> {
    switch (actor.type) {
      case 'change':
        return await this.#change(port, this.roles[actor.role] as Role, actor.command);
      case 'publish':
        return await this.#publish(port, actor.key, n, actor.renewing);
      case 'commit late':
        return await this.#commit(port, 100, leaseOf(LAPSED));
      case 'clean':
        return await this.#clean(port, n, actor.limit, actor.settling);
      default:
        return actor satisfies never;
    }
  }

  /** As the use case does: a conflict is decided again, as long as there may be others that are saved. */
  async #change(port: RoleStore, { id }: Role, command: RoleCommand): Promise<void> {
    for (let tries = 0; tries < 100; tries += 1) {
      await this.#turn();
      const loaded = await port.load(id);
      if (loaded === undefined) throw new Error('a published role is not there');
      this.seen.push(loaded.value);
      const decided = decide(loaded.value, command, this.now, defaultLimits);
      if (decided.kind === 'refused' || decided.role === loaded.value) return;
      await this.#turn();
      const { kind } = await port.save(decided.role, loaded.version, [anEvent()]);
      if (kind === 'conflict') continue;
      this.saved.push({ loadedAt: loaded.version, before: loaded.value, after: decided.role });
      return;
    }
    throw new Error('a change conflicts for ever');
  }

  async #publish(port: RoleStore, key: number, n: number, renewing: boolean): Promise<void> {
    const until = after(this.now, minutes(1));
    const token = aToken(1_000 + n);
    await this.#turn();
    const reserved = await port.reserve(aReservation(key, { token, now: this.now, until }));
    if (reserved.kind === 'complete') this.replayed.push({ key, role: reserved.role });
    if (reserved.kind !== 'reserved') return;
    this.reserved.push(key);
    await this.#turn();
    if (renewing) await port.renew(reserved.lease, after(until, minutes(1)));
    await this.#commit(port, 101 + n, reserved.lease);
  }

  async #commit(port: RoleStore, n: number, lease: Lease): Promise<void> {
    const expiresAt = after(this.now, days(7));
    const publication = aPublication(n, { idempotencyKey: lease.key, publishedAt: this.now, expiresAt });
    await this.#turn();
    const { kind } = await port.commit(publication, lease, [anEvent()]);
    this.tried.push({ publication, committed: kind === 'committed' });
  }

  async #clean(port: RoleStore, n: number, limit: number, settling: boolean): Promise<void> {
    const [token, until] = [aToken(2_000 + n), after(this.now, minutes(10))];
    await this.#turn();
    const tasks = await port.claimForCleanup({ now: this.now, endedBefore: this.now, token, until, limit });
    this.tasks.push(...tasks);
    for (const task of settling ? tasks : []) {
      await this.#turn();
      await port.settleCleanup(task, { kind: 'removed' }, [anEvent()]);
    }
  }
}
