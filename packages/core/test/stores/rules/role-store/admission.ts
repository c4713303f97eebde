import {
  after,
  type CommitOutcome,
  hours,
  instant,
  minutes,
  type PublicationLimits,
  type RoleCommit,
  type RoleStore,
  seconds,
} from '@pinfold/core';
import {
  anEvent,
  aPublication,
  aReservation,
  aToken,
  leaseOf,
  START,
} from '@pinfold/test-contracts/fixtures';
import {
  type ClauseTable,
  changeRole,
  overQuota,
  together,
  UNBOUNDED,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';

const COMMITTED = { kind: 'committed' };

function commitOf(port: RoleStore, n: number, more: Partial<RoleCommit>): Promise<CommitOutcome> {
  return port.commit({ ...aPublication(n), ...more }, leaseOf(aReservation(n)), [anEvent()]);
}

/** Commits `numbers` concurrently over three peers; returns those that passed. */
async function commitAtOnce(
  subject: Parameters<typeof together<RoleStore, unknown>>[0],
  numbers: readonly number[],
  limits: PublicationLimits,
): Promise<readonly number[]> {
  for (const n of numbers) await subject.port.reserve(aReservation(n));
  const outcomes = await together(subject, numbers.length, (port, place) =>
    commitOf(port, numbers[place] ?? 0, { limits }),
  );
  for (const { kind } of outcomes) expect(kind).to.be.oneOf(['committed', 'refused']);
  return numbers.filter((_, place) => outcomes[place]?.kind === 'committed');
}

async function expectHeld(port: RoleStore, n: number): Promise<void> {
  expect(await port.load(aPublication(n).role.id), `role ${n}`).to.equal(undefined);
  expect((await port.reserve(aReservation(n, { token: aToken(900 + n) }))).kind).to.equal('in_progress');
}

export const admissionClauses: ClauseTable<RoleStore> = {
  'role-store/reserve-costless: a reservation for a key in progress, complete or with another fingerprint returns that state, even beyond rate and quotas':
    async ({ port }) => {
      const limits = { ...UNBOUNDED, publications: { count: 1, window: hours(1) }, sites: 1, bytes: 1_024 };
      for (const n of [1, 2]) await port.reserve(aReservation(n, { limits }));
      expect(await commitOf(port, 1, { limits })).to.deep.equal(COMMITTED);
      expect((await port.reserve(aReservation(3, { limits }))).kind, 'a new one').to.equal('refused');
      const again = (n: number, fingerprint: number) =>
        port.reserve({
          ...aReservation(n, { limits, token: aToken(99) }),
          fingerprint: aReservation(fingerprint).fingerprint,
        });
      expect((await again(1, 1)).kind).to.equal('complete');
      expect((await again(1, 2)).kind).to.equal('mismatch');
      expect((await again(2, 2)).kind).to.equal('in_progress');
      expect(await commitOf(port, 1, { limits }), 'the commit again').to.deep.equal(COMMITTED);
    },
  'role-store/commit-rate: of many concurrent commits, over all peers, exactly as many pass as the rate allows, then one for each share of its window; a refusal stores nothing, takes nothing from the rate and leaves its lease valid':
    async (subject, another) => {
      const { port } = subject;
      const limits = { ...UNBOUNDED, publications: { count: 4, window: minutes(1) } };
      const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
      const passed = await commitAtOnce(subject, numbers, limits);
      expect(passed).to.have.lengthOf(4);
      const [next = 0, last = 0, ...others] = numbers.filter((n) => !passed.includes(n));
      for (const n of [next, last, ...others]) await expectHeld(port, n);
      const retryAt = after(START, seconds(15));
      const refused = { kind: 'refused', code: 'rate_limited', retryAt };
      const early = { limits, now: instant(retryAt - 1) };
      expect(await commitOf(port, next, early), 'a millisecond before').to.deep.equal(refused);
      expect(await commitOf(port, next, { limits, now: retryAt }), 'a share later').to.deep.equal(COMMITTED);
      expect((await commitOf(port, last, { limits, now: retryAt })).kind, 'one only').to.equal('refused');
      const { port: fresh } = await another();
      const once = { ...UNBOUNDED, publications: { count: 1, window: hours(1) } };
      await fresh.reserve(aReservation(1));
      const full = await commitOf(fresh, 1, { limits: { ...once, sites: 0 } });
      expect(full.kind, 'by a quota').to.equal('refused');
      expect(await commitOf(fresh, 1, { limits: once }), 'what a quota refused').to.deep.equal(COMMITTED);
    },
  "role-store/commit-quota: concurrent publications never exceed a quota together, and a publication that ended by the commit's instant no longer counts; a refused commit stores nothing and keeps its lease":
    async (subject, another) => {
      const numbers = [1, 2, 3, 4, 5, 6, 7, 8];
      const sites = await commitAtOnce(subject, numbers, { ...UNBOUNDED, sites: 3 });
      expect(sites, 'sites').to.have.lengthOf(3);
      const refused = numbers.filter((n) => !sites.includes(n));
      for (const n of refused) await expectHeld(subject.port, n);
      const [next = 0] = refused;
      const limits = { ...UNBOUNDED, sites: 3 };
      const end = aPublication(1).role.expiresAt ?? START;
      const early = await commitOf(subject.port, next, { limits, now: instant(end - 1) });
      expect(early, 'before they end').to.deep.equal(overQuota('sites', 3, 4));
      expect(await commitOf(subject.port, next, { limits, now: end }), 'at their end').to.deep.equal(
        COMMITTED,
      );
      const { port } = await another();
      for (const n of [1, 2]) await port.reserve(aReservation(n));
      await commitOf(port, 1, {});
      await changeRole(port, aPublication(1).role.id, { deletedAt: START });
      const one = { ...UNBOUNDED, sites: 1, bytes: aPublication(2).role.archiveBytes };
      expect(await commitOf(port, 2, { limits: one }), 'after a stop').to.deep.equal(COMMITTED);
      const other = await another();
      const bytes = await commitAtOnce(other, numbers, { ...UNBOUNDED, bytes: 5_120 });
      const sum = bytes.reduce((all, n) => all + aPublication(n).role.archiveBytes, 0);
      expect(sum, 'bytes')
        .to.be.at.most(5_120)
        .and.at.least(5_120 - 8 * 512);
      expect(bytes.length).to.be.below(numbers.length);
    },
};
