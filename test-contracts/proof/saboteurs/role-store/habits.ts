import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type CleanupTask,
  type Instant,
  instant,
  type Lease,
  type LoadedRole,
  type Role,
  type RoleId,
  type Title,
  type Token,
} from '@pinfold/core';
import { anEvent, START } from '@pinfold/test-contracts/fixtures';
import { type RoleSaboteur, saboteur } from './subjects.ts';

/** What time it is for a host, or a database, that is not asked. */
const HOST_TIME: Instant = START;

function trimmed<Owned extends Pick<Lease, 'account'>>(owned: Owned): Owned {
  return { ...owned, account: owned.account.trim() };
}

function loadedAs(change: (role: Role) => Role): (found: LoadedRole | undefined) => typeof found {
  return (found) => found && { ...found, value: change(found.value) };
}

/** What hosts and databases do when nobody stops them. */
export const habitSaboteurs: readonly RoleSaboteur[] = [
  saboteur(
    'role-store/reserve-in-progress',
    "a reservation is judged by the host's clock",
    () => (store) => ({
      reserve: (request) => store.reserve({ ...request, now: HOST_TIME }),
    }),
    [
      'role-store/reserve-lapsed',
      'role-store/reserve-race',
      'role-store/renew-held',
      'role-store/renew-lost',
      'role-store/release-only-own',
      'role-store/commit-lease-lost',
      'role-store/reserve-rate',
      'role-store/purge-old',
      'role-store/count-for-cleanup',
      'role-store/reserve-quota',
      'role-store/same-question',
    ],
  ),
  saboteur(
    'role-store/at-once',
    'who asks while a page of its account is on its way is given that page',
    () => (store) => {
      const coming = new Map<string, ReturnType<typeof store.list>>();
      return {
        list: (query) => {
          const asked = JSON.stringify({ ...query, after: undefined });
          const page = coming.get(asked) ?? nextTurn().then(() => store.list(query));
          coming.set(asked, page);
          return page.finally(() => coming.delete(asked));
        },
      };
    },
  ),
  saboteur(
    'role-store/list-state',
    "a state is judged by the host's clock",
    () => (store) => ({
      list: (query) => store.list({ ...query, now: HOST_TIME }),
    }),
    ['role-store/list-search-state', 'role-store/list-sparse'],
  ),
  saboteur(
    'role-store/claim-once',
    "a claim is judged by the host's clock",
    () => (store) => ({
      claimForCleanup: (request) => store.claimForCleanup({ ...request, now: HOST_TIME }),
    }),
    [
      'role-store/claim-ended',
      'role-store/claim-order',
      'role-store/claim-conflicts',
      'role-store/settle-removed',
      'role-store/settle-failed',
      'role-store/settle-lost',
      'role-store/same-question',
      'role-store/at-once',
    ],
  ),
  saboteur(
    'role-store/settle-failed',
    "a claim that lapsed by the host's clock is not settled",
    () => {
      const lapses = new Map<Token, Instant>();
      return (store) => ({
        claimForCleanup: async (request) => {
          lapses.set(request.token, request.until);
          return await store.claimForCleanup(request);
        },
        settleCleanup: async (task, outcome, events) => {
          const lapsed = (lapses.get(task.token) ?? HOST_TIME) < HOST_TIME;
          if (!lapsed) await store.settleCleanup(task, outcome, events);
        },
      });
    },
    ['role-store/count-for-cleanup'],
  ),
  saboteur(
    'role-store/claim-once',
    'a save ends the claim',
    () => {
      const claims = new Map<RoleId, CleanupTask>();
      return (store) => ({
        claimForCleanup: async (request) => {
          const tasks = await store.claimForCleanup(request);
          for (const task of tasks) claims.set(task.role, task);
          return tasks;
        },
        save: async (role, loadedAt, events, authority) => {
          const outcome = await store.save(role, loadedAt, events, authority);
          const task = claims.get(role.id);
          if (task !== undefined)
            await store.settleCleanup(task, { kind: 'failed', retryAt: instant(0) }, [anEvent()]);
          return outcome;
        },
      });
    },
    ['role-store/settle-removed'],
  ),
  saboteur('role-store/reserve-free', 'accounts are trimmed', () => (store) => ({
    reserve: async (request) => {
      const outcome = await store.reserve(trimmed(request));
      if (outcome.kind !== 'reserved') return outcome;
      return { kind: 'reserved', lease: { ...outcome.lease, account: request.account } };
    },
    renew: (lease, until) => store.renew(trimmed(lease), until),
    release: (lease) => store.release(trimmed(lease)),
    commit: (publication, lease, events) => store.commit(publication, trimmed(lease), events),
  })),
  saboteur('role-store/load-newest', 'titles are normalised', () => (store) => ({
    load: async (id, signal) =>
      loadedAs((role) => ({ ...role, title: role.title && (role.title.normalize('NFC') as Title) }))(
        await store.load(id, signal),
      ),
  })),
  saboteur('role-store/load-newest', 'sizes have 32 bits', () => (store) => ({
    load: async (id, signal) =>
      loadedAs((role) => ({ ...role, size: role.size | 0 }))(await store.load(id, signal)),
  })),
  saboteur(
    'role-store/commit-again',
    'a commit can be made once',
    () => {
      const made = new Set<Token>();
      return (store) => ({
        commit: async (publication, lease, events) => {
          if (made.has(lease.token)) return { kind: 'lease_lost' };
          const outcome = await store.commit(publication, lease, events);
          if (outcome.kind === 'committed') made.add(lease.token);
          return outcome;
        },
      });
    },
    ['role-store/reserve-costless'],
  ),
];
