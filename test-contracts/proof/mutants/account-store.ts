import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AccountStore } from '@pinfold/core';
import { type AccountStores, accountStoreContract, type StoreSubject } from '@pinfold/test-contracts';
import { derived, type PortShape, part } from './derive.ts';
import type { Mutant } from './mutant.ts';
import { overMemory, type StoreTable } from './over-memory.ts';

const { mutant, table } = overMemory<AccountStores>((memory) => memory);
const ofRoles = part(mutant, 'roles');

const shape: PortShape<AccountStore> = {
  methods: {
    load: {
      takes: { signal: 'signal' },
      clauses: [
        'unreachable load blocked made limits-precede same-question save-lost-race with-roles',
        'lets-go load-aborted',
      ],
    },
    save: {
      early: { value: { kind: 'saved' } },
      clauses: 'unreachable load limits-precede list blocked blocked-changes save-race with-roles',
      untested: 'caches',
      tested: 'repeats',
    },
    list: { early: { value: [] }, clauses: 'unreachable list same-question made list-many' },
    usedBy: {
      early: { value: { sites: 0, bytes: 0, publications24h: 0 } },
      clauses: 'unreachable used same-question',
    },
  },
};

const ofAccounts = part(mutant, 'accounts');

const stories: readonly Mutant<StoreSubject<AccountStores>>[] = [
  ofAccounts('save-race', 'a save looks first and writes later', () => (store) => ({
    save: async (account, loadedAt, events) => {
      const isNewest = (await store.load(account.name))?.version === loadedAt;
      await nextTurn();
      if (!isNewest) return { kind: 'conflict' };
      await store.save(account, (await store.load(account.name))?.version, events);
      return { kind: 'saved' };
    },
  })),

  ofRoles('revoked-key', 'a commit looks at the key first and stores later', () => (roles, { apiKeys }) => ({
    commit: async (publication, lease, events) => {
      const { key, session = null } = publication.credential ?? {};
      const found = key ? await apiKeys.find(key) : undefined;
      await nextTurn();
      if ((found?.revokedAt ?? null) !== null) return { kind: 'refused', code: 'unauthorized' };
      return await roles.commit({ ...publication, credential: { session } }, lease, events);
    },
  })),
  ofRoles('ended-session', 'a save ignores the session', () => (roles) => ({
    save: (role, version, events, authority, { key = null } = {}) =>
      roles.save(role, version, events, authority, { key }),
  })),
];

export const accountStoreTable: StoreTable<AccountStores> = table(accountStoreContract, [
  ...derived(shape, ofAccounts),
  ...stories,
]);
