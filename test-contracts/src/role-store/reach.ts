import {
  after,
  type Instant,
  instant,
  minutes,
  type Reservation,
  type Role,
  type RoleStore,
  type Version,
} from '@pinfold/core';
import { expect } from 'chai';
import type { ClauseTable, StoreSubject } from '../contract.ts';
import { expectAborted, expectNothingLeft, inEveryEnd } from '../expect-aborts.ts';
import { expectUnreachable } from '../expect-faults.ts';
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
import { asks } from './asked.ts';

const LATER: Instant = after(START, minutes(1));

/** What comes of calls that cannot be answered, or that nobody waits for any more. */
export const reachClauses: ClauseTable<RoleStore, StoreSubject<RoleStore>> = {
  'role-store/unreachable: while the database does not answer, every call rejects with the fault store_unavailable and what caused it':
    async ({ port, unreachable }) => {
      const [role, lease] = [aRole(1), leaseOf(aReservation(1))];
      const known = await publishTo(port, aPublication(2));
      await askAll(port, known);
      const gone = await unreachable();
      const claim = { now: LATER, endedBefore: LATER, token: aToken(1), until: LATER, limit: 10 };
      const task = { ...role, role: role.id, token: aToken(1), failures: 0 };
      const count = { now: LATER, endedBefore: LATER, begunBefore: LATER };
      const calls: Readonly<Record<keyof RoleStore, () => Promise<unknown>>> = {
        reserve: () => gone.reserve(aReservation(1)),
        renew: () => gone.renew(lease, LATER),
        release: () => gone.release(lease),
        commit: () => gone.commit(aPublication(1), lease, [anEvent()]),
        load: () => gone.load(role.id),
        save: () => gone.save(role, 1 as Version, [anEvent()]),
        list: () => gone.list(asks()),
        loadManifest: () => gone.loadManifest(role.archive),
        claimForCleanup: () => gone.claimForCleanup(claim),
        settleCleanup: () => gone.settleCleanup(task, { kind: 'removed' }, [anEvent()]),
        countForCleanup: () => gone.countForCleanup(count),
        whichAreNamed: () => gone.whichAreNamed([role.archive]),
        listArchives: () => gone.listArchives(undefined, 10),
        purge: () => gone.purge(LATER, 10),
        loadComparison: () => gone.loadComparison(),
        keepComparison: () => gone.keepComparison(aComparison(), undefined),
      };
      const retry = { kind: 'failed', retryAt: LATER } as const;
      const cursor = { rank: LATER, id: role.id };
      const others: Readonly<Record<string, () => Promise<unknown>>> = {
        'reserve what is complete': () => gone.reserve(reservationOf(known)),
        'commit without events': () => gone.commit(aPublication(1), lease, []),
        'load of what all know': () => gone.load(known.id),
        'load with a signal': () => gone.load(known.id, new AbortController().signal),
        'loadManifest of what all know': () => gone.loadManifest(known.archive),
        'save by the operator': () => gone.save(role, 2 as Version, [], 'operator'),
        'settle as failed': () => gone.settleCleanup(task, retry, []),
        'list of all': () => gone.list(asks({ account: undefined })),
        'list behind a cursor': () => gone.list(asks({ after: cursor, limit: 1 })),
        'list of what is expired': () => gone.list(asks({ state: 'expired' })),
        'list of what is deleted': () => gone.list(asks({ state: 'deleted' })),
        'list with a search': () => gone.list(asks({ search: 'site' })),
        'list by end': () => gone.list(asks({ order: 'ending' })),
        'list by a key': () => gone.list(asks({ idempotencyKey: role.idempotencyKey })),
        'claim of none': () => gone.claimForCleanup({ ...claim, endedBefore: instant(0) }),
        'claim of at most none': () => gone.claimForCleanup({ ...claim, limit: 0 }),
        'whichAreNamed of none': () => gone.whichAreNamed([]),
        'archives after one': () => gone.listArchives(role.archive, 1),
        'purge of none': () => gone.purge(instant(0), 1),
        'purge of at most none': () => gone.purge(LATER, 0),
        'keep after a version': () => gone.keepComparison(aComparison(), 1 as Version),
      };
      await expectUnreachable('store_unavailable', { ...calls, ...others });
    },
  'role-store/manifest-aborted: an aborted signal rejects with its reason': async ({ port }) => {
    const { archive } = await publishTo(port, aPublication(1));
    await expectAborted({
      'of a role': (signal) => port.loadManifest(archive, signal),
      'of none': (signal) => port.loadManifest(anArchiveId(9), signal),
    });
    const { signal } = new AbortController();
    expect(await port.loadManifest(archive, signal), 'not aborted').not.to.equal(undefined);
  },
  'role-store/lets-go: of a call that has ended nothing is left: no listener on its signal, no open file or connection':
    async ({ port, unreachable }) => {
      const { id, archive } = await publishTo(port, aPublication(1));
      await expectNothingLeft({
        ...inEveryEnd(port, await unreachable(), {
          load: (store, signal) => store.load(id, signal),
          'load of none': (store, signal) => store.load(aRoleId(9), signal),
          loadManifest: (store, signal) => store.loadManifest(archive, signal),
          'loadManifest of none': (store, signal) => store.loadManifest(anArchiveId(9), signal),
        }),
        list: () => port.list(asks()),
        reserve: () => port.reserve(aReservation(1)),
      });
    },
};

function reservationOf({ account, idempotencyKey: key }: Role): Reservation {
  return aReservation(0, { account, key });
}

/** Asks for all that can be known of a role. */
async function askAll(port: RoleStore, role: Role): Promise<void> {
  await port.load(role.id);
  await port.loadManifest(role.archive);
  expect((await port.reserve(reservationOf(role))).kind).to.equal('complete');
  await port.list(asks());
  await port.list(asks({ idempotencyKey: role.idempotencyKey }));
  await port.whichAreNamed([role.archive]);
  await port.whichAreNamed([]);
  await port.listArchives(undefined, 10);
  await port.loadComparison();
}
