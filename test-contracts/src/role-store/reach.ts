import { after, type Instant, instant, minutes, type RoleStore, type Version } from '@pinfold/core';
import { expect } from 'chai';
import type { Clause, StoreSubject } from '../contract.ts';
import { expectFaults } from '../faults.ts';
import { START } from '../fixtures/clock.ts';
import {
  aComparison,
  anArchiveId,
  anEvent,
  aPublication,
  aReservation,
  aRole,
  aRoleId,
  aToken,
  leaseOf,
  publishTo,
} from '../fixtures/roles.ts';
import { expectAborted, expectNothingLeft } from '../signals.ts';
import { asks } from './asked.ts';

const LATER: Instant = after(START, minutes(1));

/** What comes of calls that cannot be answered, or that nobody waits for any more. */
export const reachClauses: readonly Clause<RoleStore, StoreSubject<RoleStore>>[] = [
  {
    id: 'role-store/unreachable',
    says: 'while the database does not answer, every call rejects with the fault store_unavailable and what caused it',
    check: async ({ unreachable }) => {
      const port = await unreachable();
      const [role, lease] = [aRole(1), leaseOf(aReservation(1))];
      const claim = { now: LATER, endedBefore: LATER, token: aToken(1), until: LATER, limit: 10 };
      const task = { ...role, role: role.id, token: aToken(1), failures: 0 };
      const count = { now: LATER, endedBefore: LATER, begunBefore: LATER };
      const calls: Readonly<Record<keyof RoleStore, Promise<unknown>>> = {
        reserve: port.reserve(aReservation(1)),
        renew: port.renew(lease, LATER),
        release: port.release(lease),
        commit: port.commit(aPublication(1), lease, [anEvent()]),
        load: port.load(role.id),
        save: port.save(role, 1 as Version, [anEvent()]),
        list: port.list(asks()),
        loadManifest: port.loadManifest(role.archive),
        claimForCleanup: port.claimForCleanup(claim),
        settleCleanup: port.settleCleanup(task, { kind: 'removed' }, [anEvent()]),
        countForCleanup: port.countForCleanup(count),
        whichAreNamed: port.whichAreNamed([role.archive]),
        listArchives: port.listArchives(undefined, 10),
        purge: port.purge(LATER, 10),
        loadComparison: port.loadComparison(),
        keepComparison: port.keepComparison(aComparison(), undefined),
      };
      await expectFaults('store_unavailable', calls);
      await expectFaults('store_unavailable', {
        'list with a search': port.list(asks({ search: 'site' })),
        'list by a key': port.list(asks({ idempotencyKey: role.idempotencyKey })),
        'claim of none': port.claimForCleanup({ ...claim, endedBefore: instant(0) }),
        'whichAreNamed of none': port.whichAreNamed([]),
        'purge of none': port.purge(instant(0), 1),
      });
    },
  },
  {
    id: 'role-store/manifest-aborted',
    says: 'an aborted signal rejects with its reason',
    check: async ({ port }) => {
      const { archive } = await publishTo(port, aPublication(1));
      await expectAborted({
        'of a role': (signal) => port.loadManifest(archive, signal),
        'of none': (signal) => port.loadManifest(anArchiveId(9), signal),
      });
      const { signal } = new AbortController();
      expect(await port.loadManifest(archive, signal), 'not aborted').not.to.equal(undefined);
    },
  },
  {
    id: 'role-store/lets-go',
    says: 'of a call that has ended nothing is left: no listener on its signal, no open file or connection',
    check: async ({ port }) => {
      const { id, archive } = await publishTo(port, aPublication(1));
      await expectNothingLeft({
        load: (signal) => port.load(id, signal),
        'load of none': (signal) => port.load(aRoleId(9), signal),
        loadManifest: (signal) => port.loadManifest(archive, signal),
        'loadManifest of none': (signal) => port.loadManifest(anArchiveId(9), signal),
        list: () => port.list(asks()),
        reserve: () => port.reserve(aReservation(1)),
      });
    },
  },
];
