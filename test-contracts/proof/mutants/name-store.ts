import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NameRecord, NameStore } from '@pinfold/core';
import { type NameStores, nameStoreContract, type StoreSubject } from '@pinfold/test-contracts';
import { derived, type PortShape, part } from './derive.ts';
import type { Mutant } from './mutant.ts';
import { overMemory, type StoreTable } from './over-memory.ts';
import { EVENTS, NAME } from './records.ts';

const { mutant, table } = overMemory<NameStores>((memory) => memory);
const ofRoles = part(mutant, 'roles');

/** Credentials are looked at as other stores look at them. */
const PLACE = { account: 'word', name: 'word', credential: 'opaque' } as const;

const shape: PortShape<NameStore> = {
  methods: {
    find: {
      takes: { account: 'word', name: 'word' },
      answers: NAME,
      clauses: 'unreachable find same-question',
      untested: 'shares',
    },
    resolve: {
      takes: { token: 'id', signal: 'signal' },
      answers: {
        name: NAME,
        role: { value: 'opaque', version: 'count', isHidden: 'flag', accountGeneration: 'count' },
      },
      clauses: 'unreachable resolve same-question lets-go resolve-aborted',
    },
    list: {
      takes: { account: 'word', after: 'word', limit: 'count' },
      answers: [NAME],
      clauses: 'unreachable list same-question list-many',
      untested: 'shares',
      tested: 'answers.list-capped takes.limit.capped',
    },
    set: {
      takes: {
        change: { ...PLACE, token: 'id', role: 'uuid', now: 'instant', limit: 'count' },
        events: EVENTS,
      },
      answers: { kind: 'choice', name: NAME },
      early: { value: { kind: 'moved' } },
      clauses: 'unreachable set find set-quota',
      untested: 'caches takes.change.limit.stuck takes.events.{list-first,list-reversed}',
      tested: 'repeats',
    },
    delete: {
      takes: { place: PLACE, events: EVENTS },
      answers: { kind: 'choice' },
      early: { value: { kind: 'deleted' } },
      clauses: 'unreachable delete',
      untested: 'caches takes.events.{list-first,list-reversed}',
      tested: 'repeats',
    },
  },
};

const ofNames = part(mutant, 'names');

const stories: readonly Mutant<StoreSubject<NameStores>>[] = [
  ofRoles(
    'with-publication',
    'the name moves after the commit, by a change of its own',
    () =>
      (roles, { names }) => ({
        commit: async ({ name, ...publication }, lease, events) => {
          const outcome = await roles.commit({ ...publication, name: undefined }, lease, events);
          const { account, id: role } = publication.role;
          if (name !== undefined) {
            await names.set({ account, ...name, role, now: publication.now, limit: null }, []);
          }
          return outcome.kind === 'committed' && name !== undefined
            ? { ...outcome, warnings: publication.warnings }
            : outcome;
        },
      }),
  ),
  ofRoles('publication-quota', 'a reservation does not look at names', () => (roles) => ({
    reserve: ({ name: _, ...request }) => roles.reserve(request),
  })),
  ofRoles(
    'publication-quota',
    'a commit counts the names first and makes one later',
    () =>
      (roles, { names }) => ({
        commit: async (publication, lease, events) => {
          const { role, limits } = publication;
          const { length } = await names.list(role.account, undefined, 100);
          const isFull = limits.names !== null && length >= limits.names;
          await nextTurn();
          return await roles.commit(
            { ...publication, limits: { ...limits, names: isFull ? limits.names : null } },
            lease,
            events,
          );
        },
      }),
  ),
  ofRoles('publication-warnings', 'a commit answers the warnings of the archive alone', () => (roles) => ({
    commit: async (publication, lease, events) => {
      const outcome = await roles.commit(publication, lease, events);
      return outcome.kind === 'committed' && outcome.warnings !== undefined
        ? { ...outcome, warnings: publication.warnings }
        : outcome;
    },
  })),
  ofRoles('publication-warnings', 'a replay has the warnings of the archive alone', () => (roles) => ({
    reserve: async (request) => {
      const outcome = await roles.reserve(request);
      return outcome.kind === 'complete'
        ? { ...outcome, warnings: outcome.warnings.filter(({ rule }) => rule !== 'password_dropped') }
        : outcome;
    },
  })),
  ofNames('last-wins', 'a name that exists stays where it is while it is asked for at once', () => {
    let running = 0;
    return (store) => ({
      set: async (change, events) => {
        running += 1;
        try {
          await nextTurn();
          const found = await store.find(change.account, change.name);
          if (running > 1 && found !== undefined) return { kind: 'moved', name: found };
          return await store.set(change, events);
        } finally {
          running -= 1;
        }
      },
    });
  }),
  ofNames('set-unchanged', 'a change that changes nothing is an event', () => (store) => ({
    set: async (change, events) => {
      const outcome = await store.set(change, events);
      if (outcome.kind !== 'unchanged') return outcome;
      await store.delete(change, []);
      const again = await store.set({ ...change, token: outcome.name.token, limit: null }, events);
      return again.kind === 'refused' ? again : { ...again, kind: 'unchanged' };
    },
  })),
  ofNames('set-role', 'a name shows any role', () => (names, { roles }) => ({
    set: async (change, events) => {
      const outcome = await names.set(change, events);
      if (outcome.kind !== 'refused' || outcome.code !== 'invalid_state') return outcome;
      const role = (await roles.load(change.role))?.value;
      const name: NameRecord = { ...change, updatedAt: change.now };
      return role === undefined ? outcome : { kind: 'created', name };
    },
  })),
  ofNames('set-stopped', 'a change looks at the role first and writes later', () => (names, { roles }) => ({
    set: async (change, events) => {
      const loaded = await roles.load(change.role);
      const isInService = loaded !== undefined && loaded.value.deletedAt === null;
      if (!isInService) return await names.set(change, events);
      for (let n = 0; n < 5; n += 1) await nextTurn();
      const outcome = await names.set(change, events);
      if (outcome.kind !== 'refused') return outcome;
      const name = await names.find(change.account, change.name);
      return name === undefined ? outcome : { kind: 'moved', name };
    },
  })),
  ofNames('set-quota', 'a change counts the names first and makes one later', () => (store) => ({
    set: async (change, events) => {
      const { length } = await store.list(change.account, undefined, 100);
      await nextTurn();
      const isFull = change.limit !== null && length >= change.limit;
      return await store.set({ ...change, limit: isFull ? change.limit : null }, events);
    },
  })),
  ofNames('set-refused', 'a change is not bound by its credential', () => (store) => ({
    set: (change, events) => store.set({ ...change, credential: {} }, events),
  })),
  ofNames('delete-refused', 'a deletion is not bound by its credential', () => (store) => ({
    delete: (place, events) => store.delete({ ...place, credential: {} }, events),
  })),
  ofNames('list-many', 'a list ends after a thousand names', () => (store) => ({
    list: (account, after, limit) => store.list(account, after, Math.min(limit, 1_000)),
  })),
];

export const nameStoreTable: StoreTable<NameStores> = table(nameStoreContract, [
  ...derived(shape, ofNames),
  ...stories,
]);
