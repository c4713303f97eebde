import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  IdempotencyKey,
  LoadedRole,
  Role,
  RoleCommit,
  RoleId,
  RoleStore,
  Token,
  Version,
} from '@pinfold/core';
import { anEvent, publishTo } from '@pinfold/test-contracts/fixtures';
import { withLedger } from './ledger.ts';
import { type RoleSaboteur, saboteur } from './subjects.ts';

/** Stores a publication as if its key had never been asked for. */
async function storeAnyway(store: RoleStore, publication: RoleCommit, token: Token): Promise<void> {
  const idempotencyKey = `stray ${token} ${publication.role.id}` as IdempotencyKey;
  await publishTo(store, { ...publication, role: { ...publication.role, idempotencyKey } });
}

/** A version that depends on nothing but the role. */
function hashOf(role: Role): Version {
  let hash = 0;
  for (const character of JSON.stringify(role)) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0;
  return hash as Version;
}

export const commitSaboteurs: readonly RoleSaboteur[] = [
  saboteur(
    'role-store/commit-whole',
    'the key is completed before the role can be seen',
    () => {
      const hidden = new Set<RoleId>();
      return (store) => ({
        commit: async (publication, lease, events) => {
          hidden.add(publication.role.id);
          const outcome = await store.commit(publication, lease, events);
          for (let turn = 0; turn < 20; turn += 1) await nextTurn();
          hidden.delete(publication.role.id);
          return outcome;
        },
        load: async (id, signal) => (hidden.has(id) ? undefined : await store.load(id, signal)),
      });
    },
    ['role-store/unreachable'],
  ),
  saboteur(
    'role-store/commit-lease-lost',
    'the role is stored before the lease is looked at',
    () => (store) => ({
      commit: async (publication, lease, events) => {
        const outcome = await store.commit(publication, lease, events);
        if (outcome.kind === 'lease_lost') await storeAnyway(store, publication, lease.token);
        return outcome;
      },
    }),
    ['role-store/commit-race', 'role-store/purge-loses-lease', 'role-store/at-once'],
  ),
  saboteur(
    'role-store/commit-by-token',
    'a lapsed lease does not commit',
    withLedger((ledger) => (store) => ({
      commit: async (publication, lease, events) => {
        const held = ledger.holder(lease);
        const lapsed = held !== undefined && held.until <= publication.role.publishedAt;
        return lapsed ? { kind: 'lease_lost' } : await store.commit(publication, lease, events);
      },
    })),
  ),
  saboteur('role-store/commit-again', 'a repeated commit writes the role again', () => (store) => ({
    commit: async (publication, lease, events) => {
      const before = await store.load(publication.role.id);
      const outcome = await store.commit(publication, lease, events);
      const again = outcome.kind === 'committed' && before !== undefined;
      if (again) await store.save(publication.role, before.version, [anEvent()]);
      return outcome;
    },
  })),
  saboteur(
    'role-store/commit-race',
    'nobody looks whether the key was really completed',
    () => (store) => ({
      commit: async (publication, lease, events) => {
        const outcome = await store.commit(publication, lease, events);
        if (outcome.kind === 'lease_lost') await storeAnyway(store, publication, lease.token);
        return { kind: 'committed' };
      },
    }),
    [
      'role-store/commit-lease-lost',
      'role-store/commit-rate',
      'role-store/commit-quota',
      'role-store/purge-loses-lease',
      'role-store/same-question',
      'role-store/at-once',
    ],
  ),
];

export const roleSaboteurs: readonly RoleSaboteur[] = [
  saboteur(
    'role-store/load-newest',
    'each handle keeps what it loaded first',
    () => (store) => {
      const loaded = new Map<RoleId, LoadedRole>();
      return {
        load: async (id, signal) => {
          const found = loaded.get(id) ?? (await store.load(id, signal));
          if (found !== undefined) loaded.set(id, found);
          return found;
        },
      };
    },
    [
      'role-store/commit-again',
      'role-store/save-stores',
      'role-store/save-reports-a-lost-race',
      'role-store/save-race',
      'role-store/claim-conflicts',
      'role-store/settle-removed',
      'role-store/save-versions',
      'role-store/same-question',
      'role-store/at-once',
    ],
  ),
  saboteur(
    'role-store/load-absent',
    'an unknown id gives the role published last',
    () => {
      let last: RoleId | undefined;
      return (store) => ({
        commit: async (publication, lease, events) => {
          const outcome = await store.commit(publication, lease, events);
          if (outcome.kind === 'committed') last = publication.role.id;
          return outcome;
        },
        load: async (id, signal) => (await store.load(id, signal)) ?? (last && (await store.load(last))),
      });
    },
    [
      'role-store/harness-apart',
      'role-store/commit-lease-lost',
      'role-store/commit-race',
      'role-store/commit-rate',
      'role-store/commit-quota',
      'role-store/save-reports-a-lost-race',
      'role-store/at-once',
    ],
  ),
  saboteur('role-store/load-aborted', 'the signal is not looked at', () => (store) => ({
    load: (id) => store.load(id),
  })),
  saboteur(
    'role-store/save-stores',
    'a version is made from what is stored',
    () => (store) => ({
      load: async (id, signal) => {
        const found = await store.load(id, signal);
        return found && { ...found, version: hashOf(found.value) };
      },
      save: async (role, loadedAt, events, authority) => {
        const found = await store.load(role.id);
        if (found === undefined || hashOf(found.value) !== loadedAt) return { kind: 'conflict' };
        return await store.save(role, found.version, events, authority);
      },
    }),
    ['role-store/claim-conflicts', 'role-store/save-versions', 'role-store/at-once'],
  ),
  saboteur(
    'role-store/save-reports-a-lost-race',
    'the last save wins',
    () => (store) => ({
      save: async (role, _, events, authority) => {
        const found = await store.load(role.id);
        return found === undefined
          ? { kind: 'conflict' }
          : await store.save(role, found.version, events, authority);
      },
    }),
    ['role-store/claim-conflicts', 'role-store/at-once'],
  ),
  saboteur('role-store/save-race', 'saving looks first and writes later', () => (store) => ({
    save: async (role, loadedAt, events, authority) => {
      const before = await store.load(role.id);
      if (before?.version !== loadedAt) return { kind: 'conflict' };
      await nextTurn();
      const now = await store.load(role.id);
      return now === undefined
        ? { kind: 'conflict' }
        : await store.save(role, now.version, events, authority);
    },
  })),
  saboteur('role-store/manifest-text', 'a manifest is kept as data, not as text', () => (store) => ({
    loadManifest: async (archive, signal) => {
      const text = await store.loadManifest(archive, signal);
      if (text === undefined || text.trim() === '') return text;
      return JSON.stringify(JSON.parse(text)) as typeof text;
    },
  })),
];
