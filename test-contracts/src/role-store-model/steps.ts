import {
  type ArchiveId,
  after,
  before,
  type CleanupOutcome,
  type Duration,
  decide,
  defaultLimits,
  hours,
  minutes,
  type PasswordHash,
  type Role,
  type RoleCommand,
  type RoleCursor,
  type RoleId,
  type RoleState,
  type RoleStore,
  type Title,
  type Versioned,
} from '@pinfold/core';
import { expect } from 'chai';
import type { AsyncCommand } from 'fast-check';
import { ACCOUNT, aKey, anEvent, aRoleId } from '../fixtures/roles.ts';
import type { Glimpse, ModelLease, RoleModel } from './model.ts';

/** A role as it was last loaded, and what the model knew of it then. */
interface Look {
  readonly loaded: Versioned<Role>;
  readonly glimpse: Glimpse;
}

/** The store under test, over several handles. */
export interface RealStore {
  readonly ports: readonly RoleStore[];
  readonly looks: Map<RoleId, Look>;
}

type Work = (model: RoleModel, port: RoleStore, looks: RealStore['looks']) => Promise<void>;

/** One command of a sequence: it runs on one of the handles, and says itself what is wrong. */
export class Step implements AsyncCommand<RoleModel, RealStore> {
  readonly #said: string;
  readonly #handle: number;
  readonly #work: Work;

  constructor(said: string, handle: number, work: Work) {
    this.#said = `${said} on handle ${handle}`;
    this.#handle = handle;
    this.#work = work;
  }

  check(): boolean {
    return true;
  }

  async run(model: RoleModel, { ports, looks }: RealStore): Promise<void> {
    await this.#work(model, ports[this.#handle % ports.length] as RoleStore, looks);
  }

  toString(): string {
    return this.#said;
  }
}

/** The commands that change a role. */
export const CHANGES: readonly RoleCommand[] = [
  { type: 'set_title', title: 'Another' as Title },
  { type: 'set_title', title: null },
  { type: 'set_password', hash: 'hash' as PasswordHash },
  { type: 'set_password', hash: null },
  { type: 'reset_expiration' },
  { type: 'pin' },
  { type: 'unpin' },
  { type: 'stop' },
];

export function advance(length: Duration): Work {
  return async (model) => {
    model.now = after(model.now, length);
  };
}

export function reserve(key: number, fingerprint: number): Work {
  return async (model, port) => {
    const request = model.reservation(key, fingerprint);
    const expected = model.reserve(request);
    expect(await port.reserve(request), 'reserve').to.deep.equal(expected);
  };
}

/** Does something with one of the leases ever given, if there is one. */
function withLease(
  n: number,
  work: (model: RoleModel, port: RoleStore, held: ModelLease) => Promise<void>,
): Work {
  return async (model, port) => {
    const held = model.leases[n % Math.max(1, model.leases.length)];
    if (held !== undefined) await work(model, port, held);
  };
}

export function renew(n: number, length: Duration): Work {
  return withLease(n, async (model, port, { lease }) => {
    const until = after(model.now, length);
    expect(await port.renew(lease, until), 'renew').to.deep.equal({ kind: model.renew(lease, until) });
  });
}

export function release(n: number): Work {
  return withLease(n, async (model, port, { lease }) => {
    await port.release(lease);
    model.release(lease);
  });
}

export function commit(n: number): Work {
  return withLease(n, async (model, port, held) => {
    const outcome = await port.commit(held.publication, held.lease, [anEvent()]);
    expect(outcome, 'commit').to.deep.equal({ kind: model.commit(held) });
  });
}

export function load(n: number): Work {
  return async (model, port, looks) => {
    const id = (n % 4 === 0 ? undefined : model.committed(n)) ?? aRoleId(n + 1);
    const loaded = await port.load(id);
    const glimpse = model.glimpse(id);
    expect(loaded?.value, 'load').to.deep.equal(glimpse?.role);
    if (loaded !== undefined && glimpse !== undefined) looks.set(id, { loaded, glimpse });
  };
}

/** Decides over a role as it was last loaded, whatever happened since, and saves what was decided. */
export function change(n: number, command: RoleCommand): Work {
  return async (model, port, looks) => {
    const id = model.committed(n);
    const look = id && looks.get(id);
    const now = id && model.glimpse(id);
    if (look === undefined || now === undefined) return;
    const decided = decide(look.loaded.value, command, model.now, defaultLimits);
    if (decided.kind === 'refused') return;
    const { kind } = await port.save(decided.role, look.loaded.version, [anEvent()]);
    if (look.glimpse.changes !== now.changes) expect(kind, 'save').to.equal('conflict');
    else if (look.glimpse.settlements === now.settlements) expect(kind, 'save').to.equal('saved');
    if (kind === 'saved') model.save(decided.role);
  };
}

export function claim(limit: number): Work {
  return async (model, port) => {
    const waiting = model.claimable();
    const [token, until] = [model.token(), after(model.now, minutes(10))];
    const endedBefore = before(model.now, hours(1));
    const count = await port.countForCleanup({ now: model.now, endedBefore, begunBefore: endedBefore });
    expect(count, 'counted').to.deep.equal({
      archives: waiting.size,
      reservations: model.begunBefore(endedBefore).length,
    });
    const tasks = await port.claimForCleanup({ now: model.now, endedBefore, token, until, limit });
    const longest = [...waiting.values()].sort((one, two) => one - two).slice(0, limit);
    const waited = tasks.map(({ role }) => waiting.get(role));
    expect(waited, 'claimed').to.have.members(longest);
    const claimed = new Set(tasks.map(({ role }) => role));
    expect(tasks, 'tasks').to.have.deep.members([...claimed].map((role) => model.claim(role, token, until)));
  };
}

export function settle(n: number, pause: Duration | undefined): Work {
  return async (model, port) => {
    const task = model.tasks[n % Math.max(1, model.tasks.length)];
    if (task === undefined) return;
    const failed = pause && { kind: 'failed' as const, retryAt: after(model.now, pause) };
    const outcome: CleanupOutcome = failed ?? { kind: 'removed' };
    await port.settleCleanup(task, outcome, [anEvent()]);
    model.settle(task, outcome);
  };
}

export function purge(age: Duration): Work {
  return async (model, port) => {
    const begunBefore = before(model.now, age);
    expect(await port.purge(begunBefore, 1_000), 'purge').to.equal(model.purge(begunBefore));
  };
}

export function list(state: RoleState | undefined, limit: number): Work {
  return async (model, port) => {
    const query = { account: ACCOUNT, now: model.now, state, idempotencyKey: undefined, search: undefined };
    const items: Role[] = [];
    let next: RoleCursor | undefined;
    do {
      const page = await port.list({ ...query, after: next, limit });
      items.push(...page.items);
      next = page.next;
      expect(items.length, 'a list does not end').to.be.at.most(model.leases.length);
    } while (next !== undefined);
    expect(items, 'list').to.deep.equal(model.list(state));
  };
}

export function findByKey(key: number): Work {
  return async (model, port) => {
    const query = { account: ACCOUNT, now: model.now, state: undefined, search: undefined, after: undefined };
    const page = await port.list({ ...query, idempotencyKey: aKey(key), limit: 1 });
    expect(page, 'by key').to.deep.equal({ items: model.byKey(key), next: undefined });
  };
}

/** Everything about archives, which must agree with itself. */
export function compareArchives(limit: number): Work {
  return async (model, port) => {
    const named = model.named();
    const ids = model.leases.map(({ publication }) => publication.role.archive);
    expect([...(await port.whichAreNamed(ids))].toSorted(), 'named').to.deep.equal(named);
    const walked: ArchiveId[] = [];
    for (let page = await port.listArchives(undefined, limit); page.length > 0; ) {
      walked.push(...page);
      expect(walked.length, 'a walk does not end').to.be.at.most(named.length);
      page = await port.listArchives(walked.at(-1), limit);
    }
    expect(walked, 'archives').to.deep.equal(named);
    for (const { publication } of model.leases) {
      const expected = model.hasArchive(publication.role.id) ? publication.manifest : undefined;
      expect(await port.loadManifest(publication.role.archive), 'manifest').to.equal(expected);
    }
  };
}
