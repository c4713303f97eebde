import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RoleId, TakedownStore } from '@pinfold/core';
import { FORBIDDEN_CONTENT } from '@pinfold/core/adapter';
import { type StoreSubject, type TakedownStores, takedownStoreContract } from '@pinfold/test-contracts';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { derived, type PortShape, part } from './derive.ts';
import type { Mutant } from './mutant.ts';
import { overMemory, type StoreTable } from './over-memory.ts';
import { EVENTS, TAKEDOWN, TASK } from './records.ts';

const { mutant, table } = overMemory<TakedownStores>((memory) => memory);
const ofRoles = part(mutant, 'roles');

const shape: PortShape<TakedownStore> = {
  methods: {
    takeDown: {
      takes: { takedown: TAKEDOWN, stopped: { value: 'opaque', version: 'count' }, events: EVENTS },
      answers: { kind: 'choice' },
      early: { value: { kind: 'taken_down' } },
      clauses: 'unreachable of-roles lift-of-all list forbidden lift-once race conflict again',
      untested: [
        'caches takes.events.{list-first,list-reversed}',
        'takes.takedown.reason.{composed,numeric,quoted} takes.takedown.{account,liftedAt}',
      ],
      tested: 'repeats takes.takedown.account.{lost,lowered,raised,stuck}',
    },
    lift: {
      takes: { takedown: { id: 'uuid', sha256: 'hash' }, at: 'instant', events: EVENTS },
      answers: { kind: 'choice' },
      early: { value: { kind: 'lifted' } },
      clauses: 'unreachable lift-once of-roles lift-of-all lift',
      untested: [
        'caches takes.at.{seconds,stuck} takes.events.{list-first,list-reversed}',
        'takes.takedown.sha256.raised',
      ],
      tested: 'repeats',
    },
    isForbidden: {
      takes: { sha256: 'hash' },
      answers: 'flag',
      clauses: 'unreachable lift-of-all forbidden same-question',
    },
    of: {
      takes: { ids: ['uuid'] },
      answers: [TAKEDOWN],
      clauses: 'unreachable of-roles again same-question whole',
      untested: [
        'answers.at.seconds answers.liftedAt.{seconds,stuck} answers.reason.{composed,numeric,quoted}',
        'answers.sha256.raised answers.{account,list-reversed} takes.ids.list-reversed',
      ],
      tested: 'answers.account.{lost,lowered,raised,stuck}',
    },
    list: {
      takes: { query: { sha256: 'hash', after: { at: 'instant', id: 'uuid' }, limit: 'count' } },
      answers: [TAKEDOWN],
      clauses: 'unreachable list same-question',
      untested: [
        'answers.sha256.raised answers.{account,liftedAt,reason} takes.query.limit.stuck',
        'takes.query.sha256.raised',
      ],
      tested: 'answers.account.{lost,raised} answers.reason.{cut,lost,lowered,raised}',
    },
    copies: {
      takes: { query: { sha256: 'hash', now: 'instant', after: 'uuid', limit: 'count' } },
      answers: ['uuid'],
      clauses: 'unreachable copies same-question forbids-commit',
      untested: 'takes.query.now.seconds takes.query.sha256.{raised,stuck}',
    },
    claimPurge: {
      takes: { claim: { role: 'uuid', token: 'id', until: 'instant' } },
      answers: TASK,
      clauses: 'unreachable claim-purge purge-without-grace',
      untested: [
        'answers.account.stuck answers.archive.stuck answers.failures',
        'answers.token.{ended,lowered} caches shares takes.claim.token.{ended,lowered}',
        'takes.claim.until.{seconds,stuck}',
      ],
      tested: 'answers.failures.more',
    },
  },
  confusions: { clauses: 'forbidden claim-purge', untested: '*', tested: 'sha256 token.cut' },
};

const ofTakedowns = part(mutant, 'takedowns');

const stories: readonly Mutant<StoreSubject<TakedownStores>>[] = [
  ofTakedowns('conflict', 'a takedown that conflicts forbids the archive', () => (store) => ({
    takeDown: async (takedown, stopped, events) => {
      const outcome = await store.takeDown(takedown, stopped, events);
      if (outcome.kind === 'conflict') await store.takeDown(takedown, undefined, []);
      return outcome;
    },
  })),
  ofTakedowns(
    'race',
    'a takedown looks at the role first and writes later',
    () =>
      (takedowns, { roles }) => ({
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
  ),
  ofTakedowns('again', 'the last reason counts', () => (store) => ({
    takeDown: async (takedown, stopped, events) => {
      if (stopped !== undefined) await store.lift(takedown, takedown.at, []);
      return await store.takeDown(takedown, stopped, events);
    },
  })),
  ofTakedowns('lift', 'a lifted takedown is forgotten by its role', () => (store) => ({
    of: async (ids) => (await store.of(ids)).filter(({ liftedAt }) => liftedAt === null),
  })),
  ofTakedowns('lift-of-all', 'one that is lifted lifts all of its archive', () => (store) => ({
    lift: async (takedown, at, events) => {
      const { sha256 } = takedown;
      const all = await store.list({ sha256, after: undefined, limit: 9 });
      const outcome = await store.lift(takedown, at, events);
      if (outcome.kind === 'lifted') for (const { id } of all) await store.lift({ id, sha256 }, at, []);
      return outcome;
    },
  })),
  ofTakedowns('lift-once', 'lifting looks first and writes later', () => (store) => ({
    lift: async (takedown, at, events) => {
      const found = (await store.of([takedown.id])).find(({ sha256 }) => sha256 === takedown.sha256);
      await nextTurn();
      const outcome = await store.lift(takedown, at, events);
      return found?.liftedAt === null ? { kind: 'lifted' } : outcome;
    },
  })),
  ofRoles('forbids-reserve', 'a replay of a forbidden archive is refused', () => (roles, { takedowns }) => ({
    reserve: async (request) =>
      (await takedowns.isForbidden(request.sha256)) ? FORBIDDEN_CONTENT : await roles.reserve(request),
  })),
  ofRoles('forbids-commit', 'a commit that is refused gives up its lease', () => (roles) => ({
    commit: async (publication, lease, events) => {
      const outcome = await roles.commit(publication, lease, events);
      if (outcome.kind === 'refused') await roles.release(lease);
      return outcome;
    },
  })),
  ofTakedowns('of-roles', 'a role has one takedown at most', () => (store) => ({
    of: async (ids) => {
      const all = await store.of(ids);
      return ids.flatMap((id) => all.find((each) => each.id === id) ?? []);
    },
  })),
  ofTakedowns('of-roles', 'a hundred roles are looked up', () => (store) => ({
    of: (ids) => store.of(ids.slice(0, 100)),
  })),
  ofTakedowns('whole', 'a takedown without a role stores one event', () => (store) => ({
    takeDown: (takedown, stopped, events) =>
      store.takeDown(takedown, stopped, stopped === undefined ? events.slice(0, 1) : events),
  })),
  ofTakedowns('list', 'a page starts after the instant of the last item', () => (store) => ({
    list: (query) => {
      const { after } = query;
      return store.list({ ...query, after: after && { ...after, id: '' as RoleId } });
    },
  })),

  mutant('claim-purge', 'a purge leaves a claimed archive to the cleanup', () => {
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
  mutant('purge-without-grace', 'a failed cleanup postpones the purge', () => {
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

export const takedownStoreTable: StoreTable<TakedownStores> = table(takedownStoreContract, [
  ...derived(shape, ofTakedowns),
  ...stories,
]);
