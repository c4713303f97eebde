import {
  type AccountId,
  after,
  type CleanupTask,
  days,
  duration,
  hours,
  type Instant,
  minutes,
  type Role,
  type RoleId,
  type RoleStore,
  type Version,
} from '@pinfold/core';
import {
  aComparison,
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
  aRoleQuery,
  aTask,
  type ClauseTable,
  changeRole,
  END,
  inEachEra,
  together,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';

function rolesOf(tasks: readonly CleanupTask[]): readonly RoleId[] {
  return tasks.map(({ role }) => role);
}

const stop = (port: RoleStore, id: RoleId, deletedAt: Instant) => changeRole(port, id, { deletedAt });

export const cleanupClauses: ClauseTable<RoleStore> = {
  "role-store/claim-once: a claimed role can be claimed again only from the claim's instant on, whether or not it was saved in between; of concurrent claims, only one gets each role":
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
  'role-store/claim-ahead: a claim that ends over an hour later than one of now, and a retry that is due over an hour later than the longest pause, come from a clock that was ahead: such roles are counted, named and claimed at once, if they ended by the instant':
    inEachEra(async (port, other, start) => {
      const ahead = after(start, days(9));
      const publish = (n: number, expiresAt: Instant) =>
        publishTo(port, aPublication(n, { publishedAt: start, expiresAt }));
      const [one, two] = [await publish(1, start), await publish(2, start)];
      const lastId = (await publish(3, ahead)).id;
      const claimed = await port.claimForCleanup(aClaim(1, ahead));
      expect(rolesOf(claimed)).to.have.members([one.id, two.id, lastId]);
      const retryAt = after(ahead, minutes(1));
      await port.settleCleanup(aTask(two, 1), { kind: 'failed', retryAt }, []);
      const wanted = { now: start, endedBefore: start };
      const { archives } = await other.countForCleanup({ ...wanted, begunBefore: start });
      expect(archives, 'counted').to.equal(2);
      const next = await other.nextForCleanup({ ...wanted, limit: 10 });
      expect(next, 'named').to.have.members([one.id, two.id]);
      const again = await other.claimForCleanup(aClaim(2, start));
      expect(again).to.have.deep.members([aTask(one, 2), aTask(two, 2, 1)]);
      expect(await port.claimForCleanup(aClaim(3, start)), 'claimed by now').to.deep.equal([]);
      const latest = after(start, days(1));
      await other.settleCleanup(aTask(two, 2, 1), { kind: 'failed', retryAt: latest }, []);
      expect(await port.claimForCleanup(aClaim(4, start)), 'within the longest pause').to.deep.equal([]);
    }),
  'role-store/claim-beside: while other cleanups have claims in an account, roles of others are claimed first, and those of that account when nothing else waits':
    withPeer(async (port, other) => {
      const [one, another] = ['one', 'another'] as [AccountId, AccountId];
      const accounts = [one, one, one, another, another, one];
      for (const [n, account] of accounts.entries()) {
        await publishTo(port, aPublication(n, { account, expiresAt: after(START, hours(n + 1)) }));
      }
      const claimTwo = async (store: RoleStore, n: number) =>
        rolesOf(await store.claimForCleanup(aClaim(n, END, { limit: 2 })));
      const ids = (...numbers: readonly number[]) => numbers.map((n) => aRole(n).id);
      expect(await claimTwo(port, 1), 'alone').to.deep.equal(ids(0, 1));
      expect(await claimTwo(other, 2), 'beside the first').to.deep.equal(ids(3, 4));
      expect(await claimTwo(other, 3), 'when nothing else waits').to.deep.equal(ids(2, 5));
    }),
  'role-store/drop-titles: exactly the titles and file names of roles that expired or stopped earlier are removed, whether their archive is stored or not; the rest of each role stays, including its key, and a change decided before conflicts':
    withPeer(async (port, other) => {
      const END = after(START, days(7));
      const justAfter = after(END, duration(1));
      const publish = (n: number, more: Partial<Role>) => publishTo(port, aPublication(n, more));
      const ended = [
        await publish(1, { expiresAt: END }),
        await publish(2, { expiresAt: after(END, days(9)), deletedAt: END }),
        await publish(3, { expiresAt: END, deletedAt: after(END, days(3)), account: 'globex' as AccountId }),
        await publish(4, { expiresAt: END, title: null }),
        await publish(5, { expiresAt: END }),
      ];
      await publish(6, { expiresAt: justAfter });
      await publish(7, { expiresAt: null, pinned: true });
      await publish(8, { expiresAt: justAfter, deletedAt: justAfter });
      // Three archives are removed, and one cannot be removed.
      const claim = { token: aToken(900), until: after(END, hours(1)), limit: 4 };
      const tasks = await port.claimForCleanup({ now: END, endedBefore: END, ...claim });
      for (const [n, task] of tasks.entries()) {
        const retryAt = after(END, days(1));
        await port.settleCleanup(task, n === 0 ? { kind: 'failed', retryAt } : { kind: 'removed' }, []);
      }
      const remaining = await Promise.all([6, 7, 8].map((n) => port.load(aRole(n).id)));
      const before = await port.load(aRole(1).id);
      expect(await other.dropTitles(END, 10), 'none has ended earlier').to.equal(0);
      expect(await other.dropTitles(justAfter, 3), 'no more than the limit').to.equal(3);
      expect(await port.dropTitles(justAfter, 3)).to.equal(2);
      expect(await port.dropTitles(justAfter, 3)).to.equal(0);
      for (const role of ended) {
        const without = { ...role, title: null, originalFilename: null };
        expect((await other.load(role.id))?.value).to.deep.equal(without);
        const { account, idempotencyKey: key } = role;
        const again = aReservation(0, { account, key: key ?? aKey(0), fingerprint: aFingerprint(0) });
        expect(await port.reserve(again)).to.include({ kind: 'complete', role: role.id });
      }
      expect(await Promise.all([6, 7, 8].map((n) => other.load(aRole(n).id)))).to.deep.equal(remaining);
      const found = await other.list(aRoleQuery({ now: justAfter, search: 'site 1' }));
      expect(found.items, 'by its title').to.deep.equal([]);
      const late = { ...aRole(1), deletedAt: justAfter };
      const saved = await port.save(late, (before?.version ?? 0) as Version, [anEvent()]);
      expect(saved, 'decided before').to.deep.equal({ kind: 'conflict' });
    }),
  'role-store/count-stored: windows from the first to the last count each publication in service at the instant once, pinned ones apart, and the bytes of every archive that was not removed yet; none reads more roles than the limit':
    inEachEra(async (port, other, start) => {
      const [soon, now, later] = [after(start, hours(1)), after(start, hours(2)), after(start, hours(3))];
      const publish = async (n: number, more: Partial<Role>): Promise<void> =>
        void (await publishTo(port, aPublication(n, { publishedAt: start, archiveBytes: 10 ** n, ...more })));
      const count = async (at: Instant, limit: number) => {
        const sum = { pinned: 0, unpinned: 0, bytes: 0, windows: 0 };
        for (let place: RoleId | undefined; ; sum.windows += 1) {
          const { counted, next } = await other.countStored({ now: at, after: place, limit });
          expect(counted.pinned + counted.unpinned, 'of one window').to.be.at.most(limit);
          sum.pinned += counted.pinned;
          sum.unpinned += counted.unpinned;
          sum.bytes += counted.bytes;
          if (next === undefined) return sum;
          place = next;
        }
      };
      expect(await count(now, 10), 'of nothing').to.deep.include({ pinned: 0, unpinned: 0, bytes: 0 });
      await publish(1, { expiresAt: null, pinned: true });
      await publish(2, { expiresAt: later });
      await publish(3, { expiresAt: later, account: 'globex' as AccountId });
      await publish(4, { expiresAt: now });
      await publish(5, { expiresAt: null, pinned: true, deletedAt: soon });
      const bytes = 111_110;
      for (const limit of [1, 2, 5, 6, 100]) {
        const { windows, ...sum } = await count(now, limit);
        expect(sum, `${limit} at once`).to.deep.equal({ pinned: 1, unpinned: 2, bytes });
        expect(windows, `windows of ${limit}`).to.be.at.least(Math.ceil(5 / limit) - 1);
      }
      expect(await count(soon, 3), 'an hour before').to.deep.include({ pinned: 1, unpinned: 3, bytes });
      const claim = { now, endedBefore: now, token: aToken(900), until: later, limit: 9 };
      const claimed = await port.claimForCleanup(claim);
      expect(await count(now, 2), 'claimed').to.deep.include({ bytes });
      for (const task of claimed) await port.settleCleanup(task, { kind: 'removed' }, [anEvent()]);
      expect(await count(now, 2), 'removed').to.deep.include({ pinned: 1, unpinned: 2, bytes: 1_110 });
    }),
  'role-store/comparison-race: of many concurrent calls with one version, or with none, exactly one is stored':
    async (subject) => {
      let version: Version | undefined;
      for (const round of ['none', 'one version']) {
        const outcomes = await together(subject, 20, (port, n) =>
          port.saveComparison(aComparison({ compared: n }), version),
        );
        expect(
          outcomes.filter(({ kind }) => kind === 'saved'),
          round,
        ).to.have.lengthOf(1);
        const loaded = await subject.port.loadComparison();
        expect(loaded?.value.compared, round).to.equal(outcomes.findIndex(({ kind }) => kind === 'saved'));
        version = loaded?.version;
      }
    },
};
