import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RoleId, TakedownStore } from '@pinfold/core';
import { FORBIDDEN_CONTENT } from '@pinfold/core/adapter';
import { type StoreSubject, type TakedownStores, takedownStoreContract } from '@pinfold/test-contracts';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { derived, type PortShape, part } from './derive.ts';
import type { Mutant, MutantTable } from './mutant.ts';
import { overMemory } from './over-memory.ts';
import { EVENTS, TAKEDOWN, TASK } from './records.ts';

const { sound, mutant, harness } = overMemory<TakedownStores>(({ takedowns, roles, history }) => ({
  takedowns,
  roles,
  history,
}));

const shape: PortShape<TakedownStore> = {
  suite: 'takedown-store',
  code: 'store_unavailable',
  methods: {
    takeDown: {
      takes: { takedown: TAKEDOWN, stopped: { value: 'opaque', version: 'count' }, events: EVENTS },
      answers: { kind: 'choice' },
      early: { value: { kind: 'taken_down' } },
      caught: {
        unreachable: '*',
        race: 'answers.kind.stuck shares',
        'lift-of-all': 'hurries idles takes.takedown.id',
        'lift-once': 'repeats takes.stopped.version',
        conflict: 'takes.events.{list-emptied,list-shortened}',
        again: 'takes.stopped.version.stuck',
        'of-roles': [
          'takes.takedown.account.{lost,lowered,raised,stuck} takes.takedown.reason',
          'takes.takedown.sha256.stuck',
        ],
        list: 'takes.takedown.at',
        forbidden: 'takes.takedown.sha256',
        untested: [
          'caches takes takes.stopped.version.capped',
          'takes.takedown.reason.{composed,numeric,quoted,terminated}',
        ],
      },
    },
    lift: {
      takes: { takedown: { id: 'uuid', sha256: 'hash' }, at: 'instant', events: EVENTS },
      answers: { kind: 'choice' },
      early: { value: { kind: 'lifted' } },
      caught: {
        'lift-once': '* repeats',
        unreachable: 'coversUp isCurt isRaw misnames',
        'of-roles': 'takes.at',
        'lift-of-all': 'takes.takedown.id.stuck',
        lift: 'takes.takedown.sha256.stuck',
        untested: [
          'caches takes.at.{seconds,stuck} takes.events.{list-capped,list-first,list-reversed}',
          'takes.takedown.sha256.raised',
        ],
      },
    },
    isForbidden: {
      takes: { sha256: 'hash' },
      answers: 'flag',
      early: { value: false },
      caught: {
        unreachable: '*',
        'lift-of-all': 'answers caches hurries idles',
        forbidden: 'takes.sha256',
        'same-question': 'shares',
      },
    },
    of: {
      takes: { ids: ['uuid'] },
      answers: [TAKEDOWN],
      early: { value: [] },
      caught: {
        'of-roles': '* answers.account.{lost,lowered,raised,stuck}',
        again: 'caches',
        unreachable: 'coversUp isCurt isRaw misnames',
        whole: 'answers.id.stuck',
        'same-question': 'shares',
        untested: [
          'answers.{account,list-capped,list-reversed} answers.at.seconds answers.liftedAt.{seconds,stuck}',
          'answers.reason.{composed,numeric,quoted,terminated} answers.sha256.raised',
          'takes.ids.{list-capped,list-reversed}',
        ],
      },
    },
    list: {
      takes: { query: { sha256: 'hash', after: { at: 'instant', id: 'uuid' }, limit: 'count' } },
      answers: [TAKEDOWN],
      early: { value: [] },
      caught: {
        list: '* answers.account.{lost,raised} answers.reason.{cut,lost,lowered,raised}',
        'same-question': 'caches shares',
        unreachable: 'coversUp isCurt isRaw misnames',
        untested: [
          'answers.{account,liftedAt,list-capped,reason} answers.sha256.raised',
          'takes.query.limit.{capped,stuck} takes.query.sha256.raised',
        ],
      },
    },
    copies: {
      takes: { query: { sha256: 'hash', now: 'instant', after: 'uuid', limit: 'count' } },
      answers: ['uuid'],
      early: { value: [] },
      caught: {
        copies: '*',
        'same-question': 'caches shares',
        unreachable: 'coversUp isCurt isRaw misnames',
        'forbids-commit': 'answers.cut',
        untested: [
          'answers.list-capped takes.query.limit.capped takes.query.now.seconds',
          'takes.query.sha256.{raised,stuck}',
        ],
      },
    },
    claimPurge: {
      takes: { claim: { role: 'uuid', token: 'id', until: 'instant' } },
      answers: TASK,
      early: { value: undefined },
      caught: {
        unreachable: '*',
        'claim-purge': 'answers hurries idles answers.failures.more takes.claim.token',
        'purge-without-grace': 'answers.role.stuck takes.claim',
        untested: [
          'answers.account.{cut,stuck} answers.archive.stuck answers.failures',
          'answers.token.{ended,lowered} caches shares takes.claim.token.{ended,lowered}',
          'takes.claim.until.{seconds,stuck}',
        ],
      },
    },
  },
  confusions: { forbidden: 'sha256', 'claim-purge': 'token.cut', untested: '*' },
};

/** Creates mutants of the port itself. */
const ofTakedowns = part(mutant, 'takedowns');

const stories: readonly Mutant<StoreSubject<TakedownStores>>[] = [
  ofTakedowns('takedown-store/conflict', 'a takedown that conflicts forbids the archive', () => (store) => ({
    takeDown: async (takedown, stopped, events) => {
      const outcome = await store.takeDown(takedown, stopped, events);
      if (outcome.kind === 'conflict') await store.takeDown(takedown, undefined, []);
      return outcome;
    },
  })),
  mutant(
    'takedown-store/race',
    'a takedown looks at the role first and writes later',
    () =>
      ({ roles, takedowns }) => ({
        takedowns: replacing(takedowns, {
          takeDown: async (takedown, stopped, events) => {
            const loaded = await roles.load(takedown.id);
            const isNewest = stopped === undefined || loaded?.version === stopped.version;
            await nextTurn();
            const now = await roles.load(takedown.id);
            if (!isNewest || now === undefined || stopped === undefined) {
              return await takedowns.takeDown(takedown, stopped, events);
            }
            return await takedowns.takeDown(takedown, { ...stopped, version: now.version }, events);
          },
        }),
      }),
  ),
  ofTakedowns('takedown-store/again', 'the last reason counts', () => (store) => ({
    takeDown: async (takedown, stopped, events) => {
      if (stopped !== undefined) await store.lift(takedown, takedown.at, []);
      return await store.takeDown(takedown, stopped, events);
    },
  })),
  ofTakedowns('takedown-store/lift', 'a lifted takedown is forgotten by its role', () => (store) => ({
    of: async (ids) => (await store.of(ids)).filter(({ liftedAt }) => liftedAt === null),
  })),
  ofTakedowns('takedown-store/lift-of-all', 'one that is lifted lifts all of its archive', () => (store) => ({
    lift: async (takedown, at, events) => {
      const { sha256 } = takedown;
      const all = await store.list({ sha256, after: undefined, limit: 9 });
      const outcome = await store.lift(takedown, at, events);
      if (outcome.kind === 'lifted') for (const { id } of all) await store.lift({ id, sha256 }, at, []);
      return outcome;
    },
  })),
  ofTakedowns('takedown-store/lift-once', 'lifting looks first and writes later', () => (store) => ({
    lift: async (takedown, at, events) => {
      const found = (await store.of([takedown.id])).find(({ sha256 }) => sha256 === takedown.sha256);
      await nextTurn();
      const outcome = await store.lift(takedown, at, events);
      return found?.liftedAt === null ? { kind: 'lifted' } : outcome;
    },
  })),
  mutant(
    'takedown-store/forbids-reserve',
    'a replay of a forbidden archive is refused',
    () =>
      ({ roles, takedowns }) => ({
        roles: replacing(roles, {
          reserve: async (request) =>
            (await takedowns.isForbidden(request.sha256)) ? FORBIDDEN_CONTENT : await roles.reserve(request),
        }),
      }),
  ),
  mutant(
    'takedown-store/forbids-commit',
    'a commit that is refused gives up its lease',
    () =>
      ({ roles }) => ({
        roles: replacing(roles, {
          commit: async (publication, lease, events) => {
            const outcome = await roles.commit(publication, lease, events);
            if (outcome.kind === 'refused') await roles.release(lease);
            return outcome;
          },
        }),
      }),
  ),
  ofTakedowns('takedown-store/of-roles', 'a role has one takedown at most', () => (store) => ({
    of: async (ids) => {
      const all = await store.of(ids);
      return ids.flatMap((id) => all.find((each) => each.id === id) ?? []);
    },
  })),
  ofTakedowns('takedown-store/list', 'a page starts after the instant of the last item', () => (store) => ({
    list: (query) => {
      const { after } = query;
      return store.list({ ...query, after: after && { ...after, id: '' as RoleId } });
    },
  })),

  mutant('takedown-store/claim-purge', 'a purge leaves a claimed archive to the cleanup', () => {
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
  mutant('takedown-store/purge-without-grace', 'a failed cleanup postpones the purge', () => {
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

export const takedownStoreTable: MutantTable<TakedownStores, StoreSubject<TakedownStores>> = {
  contract: takedownStoreContract,
  sound,
  mutants: [...harness(shape.suite), ...derived(shape, ofTakedowns), ...stories],
};
