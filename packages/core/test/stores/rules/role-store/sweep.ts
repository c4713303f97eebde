import {
  type AccountId,
  type ArchiveId,
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
  anArchiveId,
  anEvent,
  aPublication,
  aRemovalClock,
  aReservation,
  aRole,
  aToken,
  leaseOf,
  publishTo,
  START,
} from '@pinfold/test-contracts/fixtures';
import {
  aFingerprint,
  asks,
  type ClauseTable,
  inEachEra,
  removeEnded,
  together,
  walk,
  walkArchives,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';

export const sweepClauses: ClauseTable<RoleStore> = {
  'role-store/named: exactly the archives of committed, not removed roles': withPeer(async (port, other) => {
    await publishTo(port, aPublication(1, { expiresAt: START }));
    await removeEnded(port, START);
    await publishTo(port, aPublication(2, { expiresAt: START }));
    await publishTo(port, aPublication(3, { deletedAt: START }));
    await publishTo(port, aPublication(1_500));
    await port.reserve(aReservation(5));
    const asked = Array.from({ length: 1_500 }, (_, n) => anArchiveId(n + 1));
    const named = await other.whichAreNamed([...asked, anArchiveId(2)]);
    expect([...named].toSorted()).to.deep.equal([anArchiveId(2), anArchiveId(3), anArchiveId(1_500)]);
    expect((await other.whichAreNamed([])).size, 'of none').to.equal(0);
    expect((await other.whichAreNamed([anArchiveId(1), anArchiveId(5)])).size).to.equal(0);
  }),
  'role-store/archives-walk: pages after an id, up to an empty one, give every named archive exactly once, in order':
    withPeer(async (port, other) => {
      for (const n of [7, 3, 9, 1, 5, 8, 2]) {
        await publishTo(port, aPublication(n, { publishedAt: after(START, hours(20 - n)) }));
      }
      await publishTo(port, aPublication(4, { expiresAt: START }));
      await removeEnded(port, START);
      await port.reserve(aReservation(6));
      let isFirst = true;
      const publishOnce = async () => {
        if (isFirst) await publishTo(port, aPublication(10));
        isFirst = false;
      };
      const archives = (last?: ArchiveId) => other.listArchives(last, 3);
      const walked = await walk(3, archives, { upTo: 'empty', between: publishOnce });
      expect(walked).to.deep.equal([1, 2, 3, 5, 7, 8, 9, 10].map(anArchiveId));
      expect(await other.listArchives(anArchiveId(6), 1), 'after an id not named').to.deep.equal([
        anArchiveId(7),
      ]);
      expect(await walkArchives(port, 1), 'one by one').to.deep.equal(walked);
    }),
  'role-store/purge-old: exactly reservations begun earlier go, renewed or not; complete keys and younger ones stay':
    withPeer(async (port, other) => {
      // No whole second: a store may not keep instants in those.
      const inADay = after(START, duration(days(1) + 357));
      const begin = async (n: number, now: Instant) => {
        const request = aReservation(n, { now, until: after(now, hours(48)) });
        expect((await port.reserve(request)).kind).to.equal('reserved');
      };
      for (const n of [1, 2, 3]) await begin(n, START);
      await port.renew(leaseOf(aReservation(2)), after(inADay, days(1)));
      await publishTo(port, aPublication(4));
      await begin(5, (inADay - 1) as Instant);
      await begin(6, inADay);
      await begin(7, after(inADay, duration(1)));
      await port.reserve(aReservation(8, { now: START, until: after(START, minutes(1)), token: aToken(80) }));
      await begin(8, inADay);
      expect(await other.purge(START, 100), 'none is older').to.equal(0);
      expect(await other.purge(inADay, 3), 'no more than the limit').to.equal(3);
      expect(await port.purge(inADay, 3)).to.equal(1);
      expect(await port.purge(inADay, 3)).to.equal(0);
      const kinds: Record<number, string> = {};
      for (const n of [1, 2, 3, 4, 5, 6, 7, 8]) {
        kinds[n] = (await other.reserve(aReservation(n, { now: inADay, token: aToken(n + 100) }))).kind;
      }
      const [free, kept] = ['reserved', 'in_progress'];
      expect(kinds).to.deep.equal({
        1: free,
        2: free,
        3: free,
        4: 'mismatch',
        5: free,
        6: kept,
        7: kept,
        8: kept,
      });
    }),
  'role-store/purge-loses-lease: the lease of a dropped reservation is lost': withPeer(
    async (port, other) => {
      const until = after(START, days(2));
      await port.reserve(aReservation(1, { until }));
      await other.purge(after(START, hours(13)), 10);
      const lease = leaseOf(aReservation(1));
      expect(await port.renew(lease, until)).to.deep.equal({ kind: 'lost' });
      expect(await port.commit(aPublication(1), lease, [anEvent()])).to.deep.equal({ kind: 'lease_lost' });
      expect(await other.load(aRole(1).id)).to.equal(undefined);
      await publishTo(other, aPublication(2, { idempotencyKey: aKey(1) }));
    },
  ),
  'role-store/drop-titles: exactly the titles and file names of roles that ended earlier, by their expiration or their stop, go, with their archive or without; the rest of each role stays, its key too, and a change decided before conflicts':
    withPeer(async (port, other) => {
      const END = after(START, days(7));
      const justAfter = after(END, duration(1));
      const publish = (n: number, more: Partial<Role>) => publishTo(port, aPublication(n, more));
      const gone = [
        await publish(1, { expiresAt: END }),
        await publish(2, { expiresAt: after(END, days(9)), deletedAt: END }),
        await publish(3, { expiresAt: END, deletedAt: after(END, days(3)), account: 'globex' as AccountId }),
        await publish(4, { expiresAt: END, title: null }),
        await publish(5, { expiresAt: END }),
      ];
      await publish(6, { expiresAt: justAfter });
      await publish(7, { expiresAt: null, pinned: true });
      await publish(8, { expiresAt: justAfter, deletedAt: justAfter });
      // Of three the archive is removed, and one cannot be removed.
      const claim = { token: aToken(900), until: after(END, hours(1)), limit: 4 };
      const tasks = await port.claimForCleanup({ now: END, endedBefore: END, ...claim });
      for (const [n, task] of tasks.entries()) {
        const retryAt = after(END, days(2));
        await port.settleCleanup(task, n === 0 ? { kind: 'failed', retryAt } : { kind: 'removed' }, []);
      }
      const kept = await Promise.all([6, 7, 8].map((n) => port.load(aRole(n).id)));
      const before = await port.load(aRole(1).id);
      expect(await other.dropTitles(END, 10), 'none has ended earlier').to.equal(0);
      expect(await other.dropTitles(justAfter, 3), 'no more than the limit').to.equal(3);
      expect(await port.dropTitles(justAfter, 3)).to.equal(2);
      expect(await port.dropTitles(justAfter, 3)).to.equal(0);
      for (const role of gone) {
        const without = { ...role, title: null, originalFilename: null };
        expect((await other.load(role.id))?.value).to.deep.equal(without);
        const { account, idempotencyKey: key } = role;
        const again = aReservation(0, { account, key: key ?? aKey(0), fingerprint: aFingerprint(0) });
        expect(await port.reserve(again)).to.include({ kind: 'complete', role: role.id });
      }
      expect(await Promise.all([6, 7, 8].map((n) => other.load(aRole(n).id)))).to.deep.equal(kept);
      const found = await other.list(asks({ now: justAfter, search: 'site 1' }));
      expect(found.items, 'by its title').to.deep.equal([]);
      const late = { ...aRole(1), deletedAt: justAfter };
      const saved = await port.save(late, (before?.version ?? 0) as Version, [anEvent()]);
      expect(saved, 'decided before').to.deep.equal({ kind: 'conflict' });
    }),
  'role-store/count-for-cleanup: exactly the roles that claims would get and the reservations that purging would drop are counted, and nothing changes':
    inEachEra(async (port, other, start) => {
      const [ended, now] = [after(start, hours(1)), after(start, hours(3))];
      const publish = (n: number, more: Partial<Role>) =>
        publishTo(port, aPublication(n, { publishedAt: start, ...more }));
      for (const n of [1, 2, 3]) await publish(n, { expiresAt: start });
      await publish(4, { expiresAt: null, pinned: true, deletedAt: ended });
      await publish(5, { expiresAt: after(ended, duration(1)) });
      await publish(6, { expiresAt: null, pinned: true });
      for (const n of [7, 8]) await port.reserve(aReservation(n, { now: start, until: now }));
      await port.reserve(aReservation(9, { now: ended, until: now }));
      const count = { now, endedBefore: ended, begunBefore: ended };
      expect(await other.countForCleanup(count)).to.deep.equal({ archives: 4, reservations: 2 });
      expect(await other.countForCleanup(count), 'again').to.deep.equal({ archives: 4, reservations: 2 });
      const claim = { ...count, token: aToken(900), until: after(now, minutes(10)), limit: 3 };
      const [removed, failed] = (await port.claimForCleanup(claim)) as [CleanupTask, CleanupTask];
      await port.settleCleanup(removed, { kind: 'removed' }, [anEvent()]);
      await port.settleCleanup(failed, { kind: 'failed', retryAt: after(now, minutes(1)) }, [anEvent()]);
      expect((await other.countForCleanup(count)).archives, 'what is left').to.equal(1);
      const later = { ...count, now: after(now, minutes(1)) };
      expect((await other.countForCleanup(later)).archives, 'with a retry').to.equal(2);
      const lapsed = { ...count, now: claim.until };
      expect((await other.countForCleanup(lapsed)).archives, 'with a lapsed claim').to.equal(3);
    }),
  'role-store/next-for-cleanup: the roles that claims would get are named, those that wait longest first and at most the limit, and nothing changes':
    inEachEra(async (port, other, start) => {
      const now = after(start, hours(3));
      const ends: readonly (Instant | null)[] = [2, 1, 3].map((n) => after(start, minutes(n)));
      for (const [n, expiresAt] of [...ends, after(now, minutes(1)), null].entries())
        await publishTo(
          port,
          aPublication(n + 1, { publishedAt: start, expiresAt, pinned: expiresAt === null }),
        );
      const request = { now, endedBefore: now, limit: 10 };
      const longest = [2, 1, 3].map((n) => aRole(n).id);
      expect(await other.nextForCleanup(request)).to.deep.equal(longest);
      expect(await other.nextForCleanup({ ...request, limit: 2 })).to.deep.equal(longest.slice(0, 2));
      const claim = { ...request, token: aToken(900), until: after(now, minutes(10)), limit: 1 };
      await port.claimForCleanup(claim);
      expect(await other.nextForCleanup(request), 'beside a claim').to.deep.equal(longest.slice(1));
      const [, ...later] = longest;
      const lapsed = await other.nextForCleanup({ ...request, now: claim.until });
      expect(lapsed, 'once it has lapsed').to.deep.equal([...later, longest[0]]);
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
  'role-store/comparison-newest: what any peer stored last is loaded, every field as it was stored; before the first there is nothing':
    withPeer(async (port, other) => {
      expect(await port.loadComparison(), 'before the first').to.equal(undefined);
      const ids = Array.from({ length: 1_000 }, (_, n) => anArchiveId(n));
      let version: Version | undefined;
      const { removal: _, ...withoutRemovalClock } = aComparison();
      for (const comparison of [
        aComparison({ upTo: null, orphans: [], missing: [] }),
        aComparison({ savedAt: after(START, days(1)), orphans: ids.toReversed(), missing: ids.toReversed() }),
        aComparison({ isUnderWay: false, isRefused: true, compared: 7_000_000 }),
        aComparison({ isUnderWay: true, isRefused: true }),
        aComparison({ upTo: null, compared: 0, unnamed: 0, orphans: [], missing: [] }),
        aComparison({ removal: aRemovalClock({ boot: 'another-Boot', steppedAt: null }) }),
        aComparison({ removal: aRemovalClock({ reached: after(START, duration(1)), uptime: days(9_999) }) }),
        aComparison({
          removal: aRemovalClock({ uptime: duration(1), steppedAt: after(START, duration(7)) }),
        }),
        withoutRemovalClock,
      ]) {
        const outcome = await port.saveComparison(comparison, version);
        if (outcome.kind === 'conflict') throw new Error('nobody else kept one');
        version = outcome.version;
        expect(await other.loadComparison()).to.deep.equal({ value: comparison, version });
      }
      const versions = new Set([version]);
      for (let n = 0; n < 260; n += 1) {
        const outcome = await (n % 2 === 0 ? port : other).saveComparison(
          aComparison({ compared: n }),
          version,
        );
        if (outcome.kind === 'conflict') throw new Error('nobody else kept one');
        version = outcome.version;
        expect(versions.has(version), `the version after ${n} came before`).to.equal(false);
        versions.add(version);
      }
    }),
  'role-store/comparison-lost-race: a version that is no longer the newest, and none when there is one, is a conflict, and changes nothing':
    async ({ port, peer }) => {
      const [other, conflict] = [await peer(), { kind: 'conflict' }];
      const keep = async (store: RoleStore, compared: number, version: Version | undefined) => {
        const outcome = await store.saveComparison(aComparison({ compared }), version);
        if (outcome.kind === 'conflict') throw new Error('nobody else kept one');
        return outcome.version;
      };
      const first = await keep(port, 1, undefined);
      const late = aComparison({ compared: 99 });
      expect(await other.saveComparison(late, undefined)).to.deep.equal(conflict);
      const second = await keep(other, 2, first);
      expect(await port.saveComparison(late, first)).to.deep.equal(conflict);
      expect(await port.saveComparison(late, undefined)).to.deep.equal(conflict);
      const expected = { value: aComparison({ compared: 2 }), version: second };
      expect(await port.loadComparison()).to.deep.equal(expected);
      await keep(port, 3, second);
    },
  'role-store/comparison-race: of many at once with one version, or with none, exactly one is stored': async (
    subject,
  ) => {
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
