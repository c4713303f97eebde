import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type CleanupTask,
  days,
  type Generation,
  type Instant,
  type RoleCommit,
  type RoleStore,
} from '@pinfold/core';
import { FIRST_GENERATION } from '@pinfold/core/adapter';
import { aKey, aReservation, aRole, aRoleId, aToken, leaseOf, UNBOUNDED } from '../fixtures/roles.ts';
import { anArchive, type Made } from './notes.ts';

/** Callers that want the same at once. Which of them wins is open, what comes of it is not. */
export interface Contention {
  readonly made: Made;
  /** The callers wait so many turns of the event loop before each call. */
  readonly turns: readonly [number, number, number];
  readonly now: Instant;
  /** The most that each caller claims. */
  readonly limit: number;
}

/** Keys, roles and tokens of this range belong to no other step. */
const FIRST = 100_000;
const RAISES = 2;

/**
 * Publishes one role under one key by a lapsed lease and by new ones, then raises its generation from several sides;
 * meanwhile all of them claim what has ended. Answers what was claimed, and what is to be compared.
 */
export async function contend(
  stores: readonly RoleStore[],
  n: number,
  { made: { manifest, warnings, ...made }, turns, now, limit }: Contention,
  until: Instant,
): Promise<{ readonly tasks: readonly CleanupTask[]; readonly answer: unknown }> {
  const own = FIRST + 10 * n;
  const key = aKey(own);
  const role = aRole(own, {
    ...made,
    ...{ archive: anArchive(own), idempotencyKey: key, generation: FIRST_GENERATION },
    ...{ pinned: true, expiresAt: null, deletedAt: null },
  });
  const publication: RoleCommit = { role, now, limits: UNBOUNDED, manifest, warnings };
  const request = (caller: number, end: Instant) =>
    aReservation(own, { token: aToken(own + caller), now, until: end });
  const [first = [] as never] = stores;
  await first.reserve(request(9, now));
  const committed = async (store: RoleStore, caller: number): Promise<boolean> =>
    (await store.commit(publication, leaseOf(request(caller, now)), [])).kind === 'committed';
  const publish = async (store: RoleStore, caller: number): Promise<boolean> => {
    await pause(turns[caller]);
    const { kind } = await store.reserve(request(caller, (now + days(1)) as Instant));
    await pause(turns[caller]);
    return kind === 'reserved' && (await committed(store, caller));
  };
  const commitLate = async (): Promise<boolean> => {
    await pause(turns[2]);
    return await committed(first, 9);
  };
  const change = async (): Promise<unknown> => {
    const all = await Promise.all([commitLate(), ...stores.map(publish)]);
    await Promise.all(stores.map((store) => raise(store, own)));
    return { committed: all.filter(Boolean).length, role: (await first.load(role.id))?.value };
  };
  const claims = stores.map(async (store, caller) => {
    await pause(turns[caller]);
    return await store.claimForCleanup({ now, endedBefore: now, token: aToken(own + caller), until, limit });
  });
  const [changed, ...claimed] = await Promise.all([change(), ...claims]);
  const tasks = claimed.flat().toSorted((one, other) => (one.role < other.role ? -1 : 1));
  return { tasks, answer: { changed, claimed: tasks.map(({ token, ...task }) => task) } };
}

/** As the use case does: what conflicts is decided again, as long as there may be others that are saved. */
async function raise(store: RoleStore, own: number): Promise<void> {
  let raised = 0;
  for (let tries = 0; raised < RAISES; tries += 1) {
    const loaded = await store.load(aRoleId(own));
    if (loaded === undefined || tries > 100) throw new Error('a change is never saved');
    const { value, version } = loaded;
    const role = { ...value, generation: (value.generation + 1) as Generation };
    if ((await store.save(role, version, [])).kind === 'saved') raised += 1;
  }
}

async function pause(turns = 0): Promise<void> {
  for (let n = 0; n < turns; n += 1) await nextTurn();
}
