import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RoleId } from '@pinfold/core';
import { instant, isFault } from '@pinfold/core';
import { FORBIDDEN_CONTENT } from '@pinfold/core/adapter';
import { type StoreSubject, type TakedownStores, takedownStoreContract } from '@pinfold/test-contracts';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { memorySaboteurs, oneForAll, type Spoiling, strangers } from './memory-saboteurs.ts';
import { clausesBut, type Sabotage, type Saboteur } from './sabotage.ts';

const { opening, sound, saboteur } = memorySaboteurs<TakedownStores>(({ takedowns, roles, history }) => ({
  takedowns,
  roles,
  history,
}));

/** A spoiling of one of the stores. */
function within<Name extends keyof TakedownStores>(
  name: Name,
  spoiling: (store: TakedownStores[Name], stores: TakedownStores) => Partial<TakedownStores[Name]>,
): Spoiling<TakedownStores> {
  return () => (stores) =>
    ({ [name]: replacing(stores[name], spoiling(stores[name], stores)) }) as Partial<TakedownStores>;
}

const takingSaboteurs: readonly Saboteur<StoreSubject<TakedownStores>>[] = [
  saboteur(
    'takedown-store/whole',
    'no event is kept',
    within('takedowns', (store) => ({
      takeDown: (takedown, stopped) => store.takeDown(takedown, stopped, []),
    })),
    ['takedown-store/race', 'takedown-store/lift', 'takedown-store/conflict'],
  ),
  saboteur(
    'takedown-store/conflict',
    'what cannot be stopped is forbidden all the same',
    within('takedowns', (store) => ({
      takeDown: async (takedown, stopped, events) => {
        const outcome = await store.takeDown(takedown, stopped, events);
        if (outcome.kind === 'conflict') await store.takeDown(takedown, undefined, []);
        return outcome;
      },
    })),
  ),
  saboteur(
    'takedown-store/race',
    'who looked before takes down, whatever came since',
    within('takedowns', (store, { roles }) => ({
      takeDown: async (takedown, stopped, events) => {
        const loaded = await roles.load(takedown.id);
        const isNewest = stopped === undefined || loaded?.version === stopped.version;
        await nextTurn();
        const now = await roles.load(takedown.id);
        if (!isNewest || now === undefined || stopped === undefined) {
          return await store.takeDown(takedown, stopped, events);
        }
        return await store.takeDown(takedown, { ...stopped, version: now.version }, events);
      },
    })),
  ),
  saboteur(
    'takedown-store/again',
    'the last reason counts',
    within('takedowns', (store) => ({
      takeDown: async (takedown, stopped, events) => {
        if (stopped !== undefined) await store.lift(takedown, takedown.at, []);
        return await store.takeDown(takedown, stopped, events);
      },
    })),
  ),
  saboteur(
    'takedown-store/lift',
    'a lifted takedown is forgotten by its role',
    within('takedowns', (store) => ({
      of: async (ids) => (await store.of(ids)).filter(({ liftedAt }) => liftedAt === null),
    })),
    ['takedown-store/of-roles'],
  ),
  saboteur(
    'takedown-store/lift-of-all',
    'one that is lifted lifts all of its archive',
    within('takedowns', (store) => ({
      lift: async (takedown, at, events) => {
        const { sha256 } = takedown;
        const all = await store.list({ sha256, after: undefined, limit: 9 });
        const outcome = await store.lift(takedown, at, events);
        if (outcome.kind === 'lifted') for (const { id } of all) await store.lift({ id, sha256 }, at, []);
        return outcome;
      },
    })),
  ),
  saboteur(
    'takedown-store/lift-once',
    'who found it in force lifts it',
    within('takedowns', (store) => ({
      lift: async (takedown, at, events) => {
        const found = (await store.of([takedown.id])).find(({ sha256 }) => sha256 === takedown.sha256);
        await nextTurn();
        const outcome = await store.lift(takedown, at, events);
        return found?.liftedAt === null ? { kind: 'lifted' } : outcome;
      },
    })),
  ),
];

const forbiddingSaboteurs: readonly Saboteur<StoreSubject<TakedownStores>>[] = [
  saboteur(
    'takedown-store/forbids-reserve',
    'a replay of a forbidden archive is refused',
    within('roles', (store, { takedowns }) => ({
      reserve: async (request) =>
        (await takedowns.isForbidden(request.sha256)) ? FORBIDDEN_CONTENT : await store.reserve(request),
    })),
  ),
  saboteur(
    'takedown-store/forbids-commit',
    'a commit that is refused gives up its lease',
    within('roles', (store) => ({
      commit: async (publication, lease, events) => {
        const outcome = await store.commit(publication, lease, events);
        if (outcome.kind === 'refused') await store.release(lease);
        return outcome;
      },
    })),
  ),
];

const readingSaboteurs: readonly Saboteur<StoreSubject<TakedownStores>>[] = [
  saboteur(
    'takedown-store/forbidden',
    'only the beginning of a SHA-256 is compared',
    within('takedowns', (store) => ({
      isForbidden: async (sha256) => {
        const all = await store.list({ sha256: undefined, after: undefined, limit: 100 });
        return all.some((each) => each.sha256.slice(0, 63) === sha256.slice(0, 63));
      },
    })),
  ),
  saboteur(
    'takedown-store/of-roles',
    'a role has one takedown at most',
    within('takedowns', (store) => ({
      of: async (ids) => {
        const all = await store.of(ids);
        return ids.flatMap((id) => all.find((each) => each.id === id) ?? []);
      },
    })),
  ),
  saboteur(
    'takedown-store/list',
    'a page goes on behind the instant of the last',
    within('takedowns', (store) => ({
      list: (query) => {
        const { after } = query;
        return store.list({ ...query, after: after && { ...after, id: '' as RoleId } });
      },
    })),
  ),
  saboteur(
    'takedown-store/copies',
    'a copy ends after its instant, not at it',
    within('takedowns', (store) => ({
      copies: (query) => store.copies({ ...query, now: instant(query.now - 1) }),
    })),
  ),
  saboteur('takedown-store/claim-purge', 'what a cleanup has claimed is left to it', () => {
    const claimed = new Set<RoleId>();
    return ({ roles, takedowns }) => ({
      roles: replacing(roles, {
        claimForCleanup: async (request) => {
          const tasks = await roles.claimForCleanup(request);
          for (const { role } of tasks) claimed.add(role);
          return tasks;
        },
      }),
      takedowns: replacing(takedowns, {
        claimPurge: async (claim) =>
          claimed.has(claim.role) ? undefined : await takedowns.claimPurge(claim),
      }),
    });
  }),
  saboteur('takedown-store/purge-without-grace', 'what was claimed and failed waits for its grace', () => {
    const purged = new Set<RoleId>();
    return ({ roles, takedowns }) => ({
      roles: replacing(roles, {
        claimForCleanup: async (request) =>
          (await roles.claimForCleanup(request)).filter(
            ({ role }) => !purged.has(role) || request.endedBefore === request.now,
          ),
      }),
      takedowns: replacing(takedowns, {
        claimPurge: async (claim) => {
          purged.add(claim.role);
          return await takedowns.claimPurge(claim);
        },
      }),
    });
  }),
];

const reachSaboteurs: readonly Saboteur<StoreSubject<TakedownStores>>[] = [
  saboteur(
    'takedown-store/unreachable',
    'what nobody can tell is not forbidden',
    within('takedowns', (store) => ({
      isForbidden: (sha256) =>
        store.isForbidden(sha256).catch((error: unknown) => {
          if (isFault(error)) return false;
          throw error;
        }),
    })),
  ),
];

const saboteurs: readonly Saboteur<StoreSubject<TakedownStores>>[] = [
  {
    breaks: 'takedown-store/harness-apart',
    how: 'all subjects are over the same data',
    open: opening(oneForAll),
  },
  {
    breaks: 'takedown-store/harness-peer',
    how: 'a peer opens data of its own',
    open: opening(strangers),
    alsoFails: clausesBut(takedownStoreContract, [
      'takedown-store/harness-apart',
      'takedown-store/lift-once',
      'takedown-store/unreachable',
    ]),
  },
  ...takingSaboteurs,
  ...forbiddingSaboteurs,
  ...readingSaboteurs,
  ...reachSaboteurs,
];

export const takedownStoreSabotage: Sabotage<TakedownStores, StoreSubject<TakedownStores>> = {
  contract: takedownStoreContract,
  sound,
  saboteurs,
};
