import { after, days, hours, minutes, type PasswordHash, type RoleStore, type Title } from '@pinfold/core';
import { expect } from 'chai';
import type { ClauseTable, StoreSubject, Subject } from '../contract.ts';
import { START } from '../fixtures/clock.ts';
import {
  aComparison,
  anEvent,
  aPublication,
  aReservation,
  aRoleId,
  aToken,
  publishTo,
} from '../fixtures/roles.ts';
import { END } from './asked.ts';
import {
  APART,
  answersTo,
  EARLY,
  HELD,
  IN_A_MINUTE,
  prepare,
  publishRated,
  type Question,
  READS,
} from './questions.ts';

/** Something that a peer does, and the questions that it alters the answers to. */
type Change = readonly [what: string, change: Question, alters: readonly string[]];

/** In this order. */
const CHANGES: readonly Change[] = [
  [
    'a publication',
    (port) => publishTo(port, aPublication(3)),
    [
      ...['load of what may yet come', 'list', 'list of all', 'list with a state', 'list with a search'],
      ...['list by a key that is free', 'a page of one', 'a manifest that may yet come', 'named'],
      ...[
        'one that may yet be named',
        'archives',
        'archives behind one',
        'archives behind the last',
        'count',
      ],
      ...['past the sites', 'past the bytes', 'a commit past the sites'],
    ],
  ],
  ['a reservation', (port) => port.reserve(aReservation(7)), ['count']],
  [
    'an earlier reservation',
    (port) => port.reserve(EARLY),
    ['count', 'count of none yet', 'a purge of none yet'],
  ],
  ['a renewal', (port) => port.renew(HELD[0], after(IN_A_MINUTE, minutes(1))), ['a key that is held']],
  ['a renewal that is undone', (port) => port.renew(HELD[0], IN_A_MINUTE), []],
  [
    'a release',
    (port) => Promise.all(HELD.map((lease) => port.release(lease))),
    ['a key that is held', 'a key that is held, otherwise', 'a lease that holds'],
  ],
  [
    'one more that is taken from a rate',
    (port) => publishRated(port, 21, after(START, hours(1))),
    ['past the rate'],
  ],
  [
    'a new title',
    (port) => save(port, { title: 'Renamed' as Title }),
    [
      ...['load', 'list', 'list of all', 'list with a state', 'list with a search', 'list by a key'],
      'list of what is found nowhere',
    ],
  ],
  ['a password', (port) => save(port, { passwordHash: 'hash' as PasswordHash }), ['load', 'list']],
  ['a pin', (port) => save(port, { pinned: true, expiresAt: null }), ['load', 'list', 'count']],
  ['no pin', (port) => save(port, { pinned: false, expiresAt: END }), ['load', 'list', 'count']],
  ['a kept comparison', (port) => port.keepComparison(aComparison(), undefined), ['comparison']],
  ['a later comparison', keepNext, ['comparison']],
  [
    'a stop',
    (port) => save(port, { deletedAt: IN_A_MINUTE }),
    [
      ...['load', 'list', 'list of all', 'list with a state', 'list of what is deleted', 'list by a key'],
      ...['count of none yet', 'a claim of none yet', 'past the sites', 'past the bytes'],
    ],
  ],
  [
    'a title of what is stopped',
    (port) => save(port, { title: 'Stopped' as Title }),
    ['load', 'list of what is deleted', 'list by a key'],
  ],
  ['a removal', remove, ['manifest', 'named', 'one that is named', 'archives', 'the first archive', 'count']],
  ['a title of what is removed', (port) => save(port, { title: null }), ['load', 'list of what is deleted']],
];

const NOTHING: Change = ['nothing', async () => undefined, []];

async function keepNext(port: RoleStore): Promise<void> {
  const kept = await port.loadComparison();
  await port.keepComparison(aComparison({ compared: 99 }), kept?.version);
}

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

/** Handles that were asked before, or new ones each time, and what they are told after each change of a peer. */
async function toldAfterChanges(
  { port, peer }: Subject<RoleStore>,
  isNew: boolean,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  await prepare(port);
  const other = await peer();
  const handles = await Promise.all(APART.map(peer));
  const told: Readonly<Record<string, unknown>>[] = [];
  for (const [what, change] of [NOTHING, ...CHANGES]) {
    await change(other);
    const newest = await other.load(aRoleId(1));
    if (isNew) handles.fill(await peer());
    const all: Record<string, unknown> = {};
    for (const [n, questions] of APART.entries()) {
      Object.assign(all, await answersTo(questions, handles[n] as RoleStore));
    }
    expect(all.load, `load after ${what}`).to.deep.equal(newest);
    told.push(all);
  }
  return told;
}

/** Which version a store counts is its own affair. */
function withoutVersion(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null ? { ...answer, version: undefined } : answer;
}

/** What was answered before holds for nobody who asks again, and stays as it was for who was answered. */
export const againClauses: ClauseTable<RoleStore, StoreSubject<RoleStore>> = {
  'role-store/same-question: the same question asked again is answered by what any peer changed meanwhile':
    async (subject, another) => {
      const told = await toldAfterChanges(subject, false);
      const anew = await toldAfterChanges(await another(), true);
      for (const [n, [what, , alters]] of [NOTHING, ...CHANGES].entries()) {
        for (const [about, answer] of Object.entries(told[n] ?? {})) {
          const expected = withoutVersion(anew[n]?.[about]);
          expect(withoutVersion(answer), `${about} after ${what} by a peer`).to.deep.equal(expected);
        }
        for (const about of alters) {
          expect(told[n]?.[about], `${about} after ${what}`).not.to.deep.equal(told[n - 1]?.[about]);
        }
      }
    },
  "role-store/answers-stay: what was answered is the caller's: nothing that is done or asked later changes it":
    async ({ port }) => {
      await prepare(port);
      for (const [what, change] of CHANGES) {
        const answers = await answersTo(READS, port);
        const before = structuredClone(answers);
        await change(port);
        await answersTo(READS, port);
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
};
