import { after, days, hours, minutes, type RoleStore, type Title } from '@pinfold/core';
import { expect } from 'chai';
import type { Clause, StoreSubject } from '../contract.ts';
import { START } from '../fixtures/clock.ts';
import {
  aComparison,
  anArchiveId,
  anEvent,
  aPublication,
  aReservation,
  aRoleId,
  aToken,
  publishTo,
} from '../fixtures/roles.ts';
import { asks, END } from './asked.ts';

/** Every question that a store answers, with what it says of the first three roles. */
async function answersOf(port: RoleStore): Promise<Readonly<Record<string, unknown>>> {
  const archives = [1, 2, 3].map(anArchiveId);
  return {
    load: await port.load(aRoleId(1)),
    'load of what may yet come': await port.load(aRoleId(3)),
    list: await port.list(asks()),
    'list with a state': await port.list(asks({ state: 'published' })),
    'list of what is deleted': await port.list(asks({ state: 'deleted' })),
    'list with a search': await port.list(asks({ search: 'site' })),
    'list by a key': await port.list(asks({ idempotencyKey: aReservation(1).key })),
    'a page of one': await port.list(asks({ limit: 1 })),
    manifest: await port.loadManifest(anArchiveId(1)),
    named: await port.whichAreNamed(archives),
    archives: await port.listArchives(undefined, 10),
    count: await port.countForCleanup({ now: END, endedBefore: END, begunBefore: END }),
    comparison: await port.loadComparison(),
  };
}

/** Changes of a peer, each of which alters some of the answers. */
const CHANGES: readonly (readonly [
  what: string,
  change: (port: RoleStore) => Promise<unknown>,
  alters: readonly string[],
])[] = [
  [
    'a publication',
    (port) => publishTo(port, aPublication(3)),
    [
      'load of what may yet come',
      'list',
      'list with a state',
      'list with a search',
      'named',
      'archives',
      'count',
    ],
  ],
  ['a reservation', (port) => port.reserve(aReservation(7)), ['count']],
  [
    'a new title',
    (port) => save(port, { title: 'Renamed' as Title }),
    ['load', 'list', 'list with a state', 'list with a search', 'list by a key'],
  ],
  ['a kept comparison', (port) => port.keepComparison(aComparison(), undefined), ['comparison']],
  [
    'a stop',
    (port) => save(port, { deletedAt: after(START, minutes(1)) }),
    ['load', 'list', 'list with a state', 'list of what is deleted', 'list by a key'],
  ],
  ['a removal', remove, ['manifest', 'named', 'archives', 'count']],
];

async function save(port: RoleStore, more: object): Promise<void> {
  const found = await port.load(aRoleId(1));
  if (found === undefined) throw new Error('a published role is not there');
  await port.save({ ...found.value, ...more }, found.version, [anEvent()]);
}

async function remove(port: RoleStore): Promise<void> {
  const claim = { now: END, endedBefore: END, token: aToken(9), until: after(END, days(1)), limit: 1 };
  for (const task of await port.claimForCleanup(claim)) {
    await port.settleCleanup(task, { kind: 'removed' }, [anEvent()]);
  }
}

/** What was answered before holds for nobody who asks again, and stays as it was for who was answered. */
export const againClauses: readonly Clause<RoleStore, StoreSubject<RoleStore>>[] = [
  {
    id: 'role-store/same-question',
    says: 'the same question asked again is answered by what any peer changed meanwhile',
    check: async ({ port, peer }) => {
      const other = await peer();
      for (const n of [1, 2]) await publishTo(port, aPublication(n));
      for (const [what, change, alters] of CHANGES) {
        const before = await answersOf(port);
        await change(other);
        const [now, fresh] = [await answersOf(port), await answersOf(await peer())];
        expect(now, `after ${what} by a peer`).to.deep.equal(fresh);
        for (const answer of alters) {
          expect(now[answer], `${answer} after ${what}`).not.to.deep.equal(before[answer]);
        }
      }
    },
  },
  {
    id: 'role-store/answers-stay',
    says: "what was answered is the caller's: nothing that is done or asked later changes it",
    check: async ({ port }) => {
      for (const n of [1, 2]) await publishTo(port, aPublication(n));
      for (const [what, change] of CHANGES) {
        const answers = await answersOf(port);
        const before = structuredClone(answers);
        await change(port);
        await answersOf(port);
        await port.whichAreNamed([]);
        expect(answers, `what was answered before ${what}`).to.deep.equal(before);
      }
      const [later, retryAt] = [after(END, hours(1)), after(END, hours(2))];
      const claim = {
        now: later,
        endedBefore: END,
        token: aToken(10),
        until: after(END, days(1)),
        limit: 10,
      };
      const tasks = await port.claimForCleanup(claim);
      const before = structuredClone(tasks);
      expect(before).not.to.deep.equal([]);
      for (const task of tasks) await port.settleCleanup(task, { kind: 'failed', retryAt }, [anEvent()]);
      await port.claimForCleanup({ ...claim, now: retryAt });
      expect(tasks, 'what was claimed, once it is settled').to.deep.equal(before);
    },
  },
];
