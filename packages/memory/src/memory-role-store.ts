import type { RoleStore, Version } from '@pinfold/core';
import { claimForCleanup, countForCleanup, namedArchives, settleCleanup } from './cleanup.ts';
import type { Connection } from './connection.ts';
import { saveRole } from './events.ts';
import { listRoles, loadRole } from './list-roles.ts';
import { refused, refusedCredential } from './memory-account-store.ts';
import { isReservedBefore } from './memory-data.ts';
import { dropFrom } from './order.ts';
import { commit, release, renew, reserve } from './reservations.ts';

/** Each method runs in one turn of the event loop, which is its transaction. */
export function memoryRoleStore(connection: Connection): RoleStore {
  return {
    reserve: async (request) => reserve(connection.change(), request),
    renew: async (lease, until) => renew(connection.change(), lease, until),
    release: async (lease) => release(connection.change(), lease),
    commit: async (publication, lease, events) => commit(connection.change(), publication, lease, events),
    load: async (id, signal) => loadRole(connection.open(signal), id),
    save: async (role, loadedAt, events, authority, credential = {}) => {
      const data = connection.change();
      return (
        refusedCredential(data, credential) ??
        refused(data, role.account, authority) ?? {
          kind: saveRole(data, role, loadedAt, events) ? 'saved' : 'conflict',
        }
      );
    },
    list: async (query) => listRoles(connection.open(), query),
    loadManifest: async (archive, signal) => connection.open(signal).manifests.get(archive),
    claimForCleanup: async (request) => claimForCleanup(connection.change(), request),
    settleCleanup: async (task, outcome, events) => settleCleanup(connection.change(), task, outcome, events),
    countForCleanup: async (request) => countForCleanup(connection.open(), request),
    whichAreNamed: async (ids) => {
      const named = new Set(namedArchives(connection.open()));
      return new Set(ids.filter((id) => named.has(id)));
    },
    listArchives: async (after, limit) => {
      const named = namedArchives(connection.open());
      return named.filter((id) => after === undefined || id > after).slice(0, limit);
    },
    purge: async (begunBefore, limit) =>
      dropFrom(connection.change().keys, limit, isReservedBefore(begunBefore)),
    loadComparison: async () => structuredClone(connection.open().comparison),
    keepComparison: async (comparison, loadedAt) => {
      const data = connection.change();
      if (data.comparison?.version !== loadedAt) return { kind: 'conflict' };
      const version = ((loadedAt ?? 0) + 1) as Version;
      data.comparison = { value: structuredClone(comparison), version };
      return { kind: 'kept', version };
    },
  };
}
