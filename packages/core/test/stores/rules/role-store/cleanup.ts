import {
  type AccountId,
  after,
  type CleanupTask,
  days,
  hours,
  type Instant,
  minutes,
  type PasswordHash,
  type Role,
  type RoleId,
  type RoleStore,
  seconds,
  type Warning,
} from '@pinfold/core';
import type { Subject } from '@pinfold/test-contracts';
import {
  aKey,
  anEvent,
  aPublication,
  aReservation,
  aRole,
  aToken,
  publishTo,
  START,
} from '@pinfold/test-contracts/fixtures';
import {
  aClaim,
  aFingerprint,
  asks,
  aTask,
  type ClauseTable,
  changeRole,
  END,
  inEachEra,
  loadedRole,
  nearTokens,
  together,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';

function rolesOf(tasks: readonly CleanupTask[]): readonly RoleId[] {
  return tasks.map(({ role }) => role);
}

const stop = (port: RoleStore, id: RoleId, deletedAt: Instant) => changeRole(port, id, { deletedAt });
const pin = (port: RoleStore, id: RoleId) =>
  changeRole(port, id, { pinned: true, expiresAt: null, deletedAt: null });

export const claimClauses: ClauseTable<RoleStore> = {
  'role-store/claim-ended: exactly the roles deleted or expired by then are claimed; pinned and later ones are not':
    inEachEra(async (port, _, start, { peer }) => {
      const end = after(start, hours(12));
      const justBefore = (end - 1) as Instant;
      const justAfter = (end + 1) as Instant;
      const publish = (n: number, more: Partial<Role>) =>
        publishTo(port, aPublication(n, { publishedAt: start, ...more }));
      const ended = [
        await publish(1, { expiresAt: end }),
        await publish(2, { expiresAt: justAfter, deletedAt: end }),
        await publish(3, { expiresAt: null, pinned: true, deletedAt: justBefore }),
        await publish(4, { expiresAt: justBefore, deletedAt: justAfter }),
      ];
      await publish(5, { expiresAt: justAfter });
      await publish(6, { expiresAt: null, pinned: true });
      await publish(7, { expiresAt: after(end, days(1)), deletedAt: justAfter });
      const other = await peer();
      const before = { ...aClaim(1, after(end, hours(1))), endedBefore: after(start, hours(1)) };
      expect(await other.claimForCleanup(before)).to.deep.equal([]);
      const tasks = await other.claimForCleanup({ ...aClaim(2, after(end, hours(1))), endedBefore: end });
      expect(tasks).to.have.deep.members(ended.map((role) => aTask(role, 2)));
      for (const role of ended) expect((await port.load(role.id))?.value).to.deep.equal(role);
      const late = await publish(8, { expiresAt: end });
      await stop(port, late.id, justAfter);
      const again = { ...aClaim(3, after(end, hours(1))), endedBefore: end };
      expect(rolesOf(await other.claimForCleanup(again)), 'expired, then stopped').to.deep.equal([late.id]);
    }),
  'role-store/claim-order: those that wait longest are claimed and answered first, so that failing ones keep none waiting':
    async ({ port }) => {
      for (const n of [3, 1, 4, 2, 5]) {
        await publishTo(port, aPublication(n, { expiresAt: after(START, hours(n)) }));
      }
      const ids = (numbers: readonly number[]) => numbers.map((n) => aRole(n).id);
      const now = after(START, hours(10));
      const tasks = await port.claimForCleanup(aClaim(1, now, { limit: 3 }));
      expect(rolesOf(tasks)).to.deep.equal(ids([1, 2, 3]));
      for (const [place, task] of tasks.entries()) {
        const retryAt = after(now, minutes(3 - place));
        await port.settleCleanup(task, { kind: 'failed', retryAt }, [anEvent()]);
      }
      await publishTo(port, aPublication(6, { expiresAt: after(now, seconds(90)) }));
      const later = after(now, minutes(5));
      const next = await port.claimForCleanup(aClaim(2, later, { limit: 2 }));
      expect(rolesOf(next), 'those that did not fail').to.deep.equal(ids([4, 5]));
      const retried = await port.claimForCleanup(aClaim(3, later, { limit: 2 }));
      expect(rolesOf(retried), 'those due sooner').to.deep.equal(ids([3, 6]));
      const last = await port.claimForCleanup(aClaim(4, later, { limit: 2 }));
      expect(rolesOf(last), 'those due last').to.deep.equal(ids([2, 1]));
    },
  "role-store/claim-once: a claimed role is claimed again only from the claim's instant on, saved meanwhile or not; of many claims at once each role goes to one":
    inEachEra(async (port, _, start, subject) => {
      const other = await subject.peer();
      const first = await publishTo(port, aPublication(1, { publishedAt: start, expiresAt: start }));
      const until = after(start, minutes(10));
      expect(await port.claimForCleanup(aClaim(1, start))).to.deep.equal([aTask(first, 1)]);
      expect(await other.claimForCleanup(aClaim(2, start)), 'at once').to.deep.equal([]);
      await stop(other, first.id, start);
      expect(await port.claimForCleanup(aClaim(3, (until - 1) as Instant)), 'saved').to.deep.equal([]);
      expect(await other.claimForCleanup(aClaim(4, until))).to.deep.equal([aTask(first, 4)]);
      await other.settleCleanup(aTask(first, 4), { kind: 'removed' }, [anEvent()]);
      const many = Array.from({ length: 20 }, (_, n) => aRole(n + 10).id);
      for (let n = 10; n < 30; n += 1) await publishTo(port, aPublication(n, { deletedAt: until }));
      const claims = await together(subject, 12, (store, n) =>
        store.claimForCleanup(aClaim(100 + n, until, { limit: 3 })),
      );
      for (const tasks of claims) expect(tasks.length).to.be.at.most(3);
      const rest = await port.claimForCleanup(aClaim(200, until));
      expect(rolesOf([...claims.flat(), ...rest]).toSorted()).to.deep.equal(many.toSorted());
      for (const [n, tasks] of claims.entries()) {
        for (const task of tasks) expect(task.token).to.equal(aToken(100 + n));
      }
    }),
  'role-store/claim-beside: while other cleanups have claims in an account, roles of others are claimed first, and those of that account when nothing else waits':
    withPeer(async (port, other) => {
      const [one, another] = ['one', 'another'] as [AccountId, AccountId];
      const accounts = [one, one, one, another, another, one];
      for (const [n, account] of accounts.entries()) {
        await publishTo(port, aPublication(n, { account, expiresAt: after(START, hours(n + 1)) }));
      }
      const claimed = async (store: RoleStore, n: number) =>
        rolesOf(await store.claimForCleanup(aClaim(n, END, { limit: 2 })));
      const ids = (...numbers: readonly number[]) => numbers.map((n) => aRole(n).id);
      expect(await claimed(port, 1), 'alone').to.deep.equal(ids(0, 1));
      expect(await claimed(other, 2), 'beside').to.deep.equal(ids(3, 4));
      expect(await claimed(other, 3), 'when nothing else waits').to.deep.equal(ids(2, 5));
    }),
  "role-store/claim-conflicts: a claim raises the role's version, so that a change decided before it conflicts":
    withPeer(async (port, other) => {
      const { id } = await publishTo(port, aPublication(1));
      for (const [n, now] of [END, after(END, hours(1))].entries()) {
        const before = await loadedRole(port, id);
        await other.claimForCleanup(aClaim(n, now));
        const changed = { ...before.value, deletedAt: now };
        expect(await port.save(changed, before.version, [anEvent()])).to.deep.equal({ kind: 'conflict' });
        const claimed = await port.load(id);
        expect(claimed?.value).to.deep.equal(before.value);
        expect(claimed?.version).not.to.equal(before.version);
      }
      await stop(port, id, END);
    }),
};

export const settleClauses: ClauseTable<RoleStore> = {
  'role-store/settle-removed: the role stays, its manifest, its warnings and the hash of its password go, its archive is named no more, and it is never claimed again, also after later saves; of a password it stays known that there was one, and a change decided before conflicts':
    withPeer(async (port, other) => {
      const passwordHash = 'a hash' as PasswordHash;
      const warnings: readonly Warning[] = [{ rule: 'broken_reference', path: 'a', target: 'b' }];
      const published = await publishTo(port, { ...aPublication(1, { passwordHash }), warnings });
      const role = { ...published, passwordHash: '' as PasswordHash };
      const neighbour = await publishTo(port, aPublication(2, { passwordHash }));
      const pinned = await publishTo(port, aPublication(3));
      const inAnAge = after(END, days(1_000));
      await port.claimForCleanup(aClaim(1, END));
      for (const store of [port, other]) {
        const none = await store.claimForCleanup({ ...aClaim(3, inAnAge), endedBefore: START });
        expect(none, 'of what ended long before').to.deep.equal([]);
      }
      const before = await loadedRole(other, role.id);
      await other.settleCleanup(aTask(role, 1), { kind: 'removed' }, [anEvent()]);
      const late = await port.save({ ...before.value, deletedAt: END }, before.version, [anEvent()]);
      expect(late, 'decided before').to.deep.equal({ kind: 'conflict' });
      const asked = { account: role.account, key: role.idempotencyKey ?? aKey(1) };
      expect(await port.reserve(aReservation(0, { ...asked, fingerprint: aFingerprint(0) }))).to.deep.include(
        { kind: 'complete', warnings: [] },
      );
      await pin(other, pinned.id);
      await other.settleCleanup(aTask(pinned, 1), { kind: 'removed' }, [anEvent()]);
      expect(await port.loadManifest(pinned.archive), 'of what was pinned').to.equal(undefined);
      const expectRemoved = async (then: Role) => {
        expect((await port.load(role.id))?.value).to.deep.equal(then);
        expect(await port.loadManifest(role.archive), 'manifest').to.equal(undefined);
        expect([...(await port.whichAreNamed([role.archive, neighbour.archive]))]).to.deep.equal([
          neighbour.archive,
        ]);
        expect(await port.listArchives(undefined, 10)).to.deep.equal([neighbour.archive]);
      };
      await expectRemoved(role);
      const byKey = await port.list(asks({ now: END, idempotencyKey: role.idempotencyKey ?? undefined }));
      expect(byKey.items, 'by its key').to.deep.equal([role]);
      expect(await other.loadManifest(neighbour.archive), 'of another role').not.to.equal(undefined);
      await stop(other, role.id, END);
      await expectRemoved({ ...role, deletedAt: END });
      expect(rolesOf(await port.claimForCleanup(aClaim(2, inAnAge)))).to.deep.equal([neighbour.id]);
    }),
  'role-store/settle-failed: the role is claimed again from the instant of retry on, with one failure more':
    async (subject, another) => {
      await failOften(subject.port);
      await inEachEra<Subject<RoleStore>>(async (port, other, start, { peer }) => {
        const role = await publishTo(port, aPublication(1, { publishedAt: start, expiresAt: start }));
        let now = start;
        for (const [failures, pause] of [minutes(1), hours(30), minutes(2)].entries()) {
          const task = aTask(role, failures, failures);
          expect(await port.claimForCleanup(aClaim(failures, now))).to.deep.equal([task]);
          const retryAt = after(now, pause);
          const failed = { kind: 'failed', retryAt } as const;
          await Promise.all([port, other].map((store) => store.settleCleanup(task, failed, [anEvent()])));
          expect(await port.claimForCleanup(aClaim(50, (retryAt - 1) as Instant)), 'before').to.deep.equal(
            [],
          );
          expect(await other.loadManifest(role.archive)).not.to.equal(undefined);
          expect((await other.whichAreNamed([role.archive])).size).to.equal(1);
          await pin(other, role.id);
          await stop(await peer(), role.id, start);
          now = retryAt;
        }
        expect(await other.claimForCleanup(aClaim(9, now))).to.deep.equal([aTask(role, 9, 3)]);
      })(subject, another);
    },
  'role-store/settle-lost: a claim that another took over, or that was settled, settles nothing': withPeer(
    async (port, other) => {
      const role = await publishTo(port, aPublication(1));
      const taken = after(END, minutes(10));
      const retryAt = after(taken, hours(1));
      await port.claimForCleanup(aClaim(1, END));
      await other.claimForCleanup(aClaim(2, taken));
      const expectClaimed = async (from: Instant) => {
        expect(await port.loadManifest(role.archive)).not.to.equal(undefined);
        expect((await port.whichAreNamed([role.archive])).size).to.equal(1);
        expect(await port.claimForCleanup(aClaim(3, (from - 1) as Instant))).to.deep.equal([]);
      };
      await port.settleCleanup(aTask(role, 1), { kind: 'removed' }, [anEvent()]);
      await expectClaimed(after(taken, minutes(10)));
      await port.settleCleanup(aTask(role, 1), { kind: 'failed', retryAt: END }, [anEvent()]);
      await expectClaimed(after(taken, minutes(10)));
      for (const token of nearTokens(aToken(2))) {
        await port.settleCleanup({ ...aTask(role, 2), token }, { kind: 'removed' }, [anEvent()]);
      }
      await expectClaimed(after(taken, minutes(10)));
      await other.settleCleanup(aTask(role, 2), { kind: 'failed', retryAt }, [anEvent()]);
      await other.settleCleanup(aTask(role, 2), { kind: 'failed', retryAt: END }, [anEvent()]);
      await other.settleCleanup(aTask(role, 2), { kind: 'removed' }, [anEvent()]);
      await other.settleCleanup(aTask(aRole(9), 2), { kind: 'removed' }, [anEvent()]);
      await expectClaimed(retryAt);
      expect(await port.claimForCleanup(aClaim(4, retryAt))).to.deep.equal([aTask(role, 4, 1)]);
    },
  ),
};

/** Fails to remove an archive more often than fits a byte. */
async function failOften(port: RoleStore): Promise<void> {
  const role = await publishTo(port, aPublication(1, { expiresAt: START }));
  for (let failures = 0; failures < 260; failures += 1) {
    const [task] = await port.claimForCleanup(aClaim(failures, START));
    expect(task, `after ${failures} failures`).to.deep.equal(aTask(role, failures, failures));
    await port.settleCleanup(aTask(role, failures, failures), { kind: 'failed', retryAt: START }, [
      anEvent(),
    ]);
  }
}
