import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CommitOutcome, RoleCommit } from '@pinfold/core';
import { leaseOf, UNBOUNDED } from '@pinfold/test-contracts/fixtures';
import { withLedger } from './ledger.ts';
import { type RoleSaboteur, saboteur } from './subjects.ts';

export const admissionSaboteurs: readonly RoleSaboteur[] = [
  saboteur(
    'role-store/reserve-rate',
    'reserving does not look at the rate',
    () => (store) => ({
      reserve: (request) => store.reserve({ ...request, limits: { ...request.limits, publications: null } }),
    }),
    ['role-store/same-question'],
  ),
  saboteur(
    'role-store/reserve-quota',
    'reserving counts without the one that is asked for',
    () => (store) => ({
      reserve: (request) => {
        const { limits } = request;
        const sites = limits.sites === null ? null : limits.sites + 1;
        return store.reserve({ ...request, archiveBytes: 0, limits: { ...limits, sites } });
      },
    }),
    ['role-store/same-question'],
  ),
  saboteur(
    'role-store/reserve-costless',
    'the rate is looked at before the key',
    withLedger((ledger) => (store) => ({
      reserve: async (request) => {
        const known = ledger.holder(request);
        if (known === undefined) return await store.reserve(request);
        const probe = { ...request, key: `probe ${request.key}` as typeof request.key };
        const probed = await store.reserve(probe);
        if (probed.kind === 'refused') return probed;
        if (probed.kind === 'reserved') await store.release(leaseOf(probe));
        return await store.reserve(request);
      },
    })),
    ['role-store/reserve-quota'],
  ),
  saboteur(
    'role-store/commit-rate',
    'each peer has the whole rate',
    () => {
      let first: unknown;
      return (store) => {
        first ??= store;
        return store === first
          ? {}
          : {
              commit: (publication, lease, events) =>
                store.commit(
                  { ...publication, limits: { ...publication.limits, publications: null } },
                  lease,
                  events,
                ),
            };
      };
    },
    ['role-store/same-question'],
  ),
  saboteur('role-store/commit-quota', 'a commit counts first and stores later', () => {
    let passed: Promise<CommitOutcome> | undefined;
    const unbounded = (publication: RoleCommit): RoleCommit => ({
      ...publication,
      limits: { ...UNBOUNDED, publications: publication.limits.publications },
    });
    return (store) => ({
      commit: async (publication, lease, events) => {
        if (publication.limits.sites === null && publication.limits.bytes === null) {
          return await store.commit(publication, lease, events);
        }
        const others = passed;
        const mine = store.commit(others === undefined ? publication : unbounded(publication), lease, events);
        passed = mine;
        await nextTurn();
        passed = undefined;
        return await mine;
      },
    });
  }),
];
