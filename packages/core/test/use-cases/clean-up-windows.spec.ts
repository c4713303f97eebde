import {
  type ArchiveId,
  type ArchiveStorage,
  type Cleaning,
  type CleanUpReport,
  Fault,
  hours,
  minutes,
  type RoleId,
  type RoleStore,
} from '@pinfold/core';
import { archiveCreatedAt } from '@pinfold/core/adapter';
import { anArchiveId, replacing } from '@pinfold/test-contracts/fixtures';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { openCleanupStage } from './cleanup-stage.ts';
import { codeOf } from './stage.ts';

describe('comparing storage with the records in windows', () => {
  const stage = ofEachTest(openCleanupStage);
  /** The first id of each listing of storage, over all nodes. */
  let listed: (ArchiveId | undefined)[];
  beforeEach(() => {
    listed = [];
  });

  /** A node whose storage lists ten ids at a time, and runs a task before each listing. */
  function node(before: (window: number) => Promise<void> | void = () => {}): {
    readonly run: Cleaning['cleanUp'];
  } {
    const memory = stage.memory.peer();
    let windows = 0;
    const list: ArchiveStorage['list'] = async (last, limit, signal) => {
      windows += 1;
      await before(windows);
      listed.push(last);
      return await memory.archives.list(last, Math.min(limit, 10), signal);
    };
    const archives = replacing(memory.archives, { list });
    return { run: stage.with({ roles: memory.roles, archives }).cleanUp };
  }

  /** A node that dies during a window, and does nothing after that. */
  async function killedIn(window: number): Promise<void> {
    const { promise: dead, resolve: die } = Promise.withResolvers<void>();
    const never = new Promise<void>(() => {});
    void node((n) => {
      if (n !== window) return;
      die();
      return never;
    }).run();
    await dead;
  }

  const endTimeIn = (window: number) => (n: number) => {
    if (n === window) stage.clock.advance(minutes(5));
  };

  it('resumes after the last window of a sweep that ran out of time, on any node, and lists nothing twice', async () => {
    const ids = await stage.storeOrphans(20);
    await stage.publishMany(25);
    stage.clock.advance(hours(25));
    const cut = await node(endTimeIn(2)).run();
    expect(cut).to.include({ compared: 20, unnamed: 20, orphans: 0, listing: 'under_way', finished: false });
    expect(await stage.countArchives(), 'windows only count').to.equal(45);
    stage.clock.advance(minutes(5));
    const resumed = await node().run();
    expect(resumed).to.include({ compared: 45, unnamed: 20, orphans: 20, listing: 'done', finished: true });
    expect(listed.slice(0, 3)).to.deep.equal([undefined, ids[9], ids[19]]);
    expect(new Set(listed).size).to.equal(listed.length);
    stage.clock.advance(hours(23));
    expect((await node().run()).listing).to.equal('not_due');
  });

  it('repeats one window after a node was killed, once that node can no longer be at work', async () => {
    await stage.storeOrphans(20);
    await stage.publishMany(20);
    stage.clock.advance(hours(25));
    await killedIn(3);
    expect(await node().run()).to.include({ compared: 20, unnamed: 20, orphans: 0, listing: 'under_way' });
    expect(listed, 'windows of the killed node').to.have.length(2);
    stage.clock.advance(minutes(2));
    expect(await node().run()).to.include({ compared: 40, orphans: 20, listing: 'done' });
    expect(new Set(listed).size).to.equal(listed.length);
  });

  it('takes over from another comparison immediately if requested, and that one stops', async () => {
    await stage.storeOrphans(20);
    await stage.publishMany(20);
    stage.clock.advance(hours(25));
    const waiting = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const slow = node((n) => {
      if (n !== 3) return;
      reached.resolve();
      return waiting.promise;
    }).run();
    await reached.promise;
    const other = await node().run({ takeOver: true });
    expect(other).to.include({ compared: 40, orphans: 20, listing: 'done' });
    waiting.resolve();
    expect(await slow).to.include({ compared: 20, orphans: 0, listing: 'under_way' });
  });

  it('removes no more once another comparison has taken over', async () => {
    await stage.storeOrphans(20);
    stage.clock.advance(hours(25));
    let isFirst = true;
    const remove: ArchiveStorage['delete'] = async (id, signal) => {
      await stage.memory.archives.delete(id, signal);
      if (isFirst) {
        isFirst = false;
        await node().run({ takeOver: true });
      }
    };
    const { cleanUp } = stage.with({ archives: replacing(stage.memory.archives, { delete: remove }) });
    expect(await cleanUp()).to.include({ orphans: 16, listing: 'under_way', finished: true });
    expect(await stage.countArchives()).to.equal(0);
  });

  it('resumes removing, and removes nothing twice', async () => {
    await stage.storeOrphans(20);
    stage.clock.advance(hours(25));
    const removed: ArchiveId[] = [];
    const remove: ArchiveStorage['delete'] = async (id, signal) => {
      removed.push(id);
      await stage.memory.archives.delete(id, signal);
      if (removed.length === 16) stage.clock.advance(minutes(5));
    };
    const archives = replacing(stage.memory.archives, { delete: remove });
    const { cleanUp } = stage.with({ archives });
    expect(await cleanUp()).to.include({ orphans: 16, listing: 'under_way', finished: false });
    stage.clock.advance(minutes(5));
    expect(await cleanUp()).to.include({ orphans: 4, unnamed: 20, listing: 'done' });
    expect(new Set(removed).size).to.equal(removed.length);
    expect(removed).to.have.length(20);
  });

  it('restarts if forced, and if the last window was a day ago', async () => {
    await stage.storeOrphans(15);
    stage.clock.advance(hours(25));
    await killedIn(2);
    expect(await node().run({ force: true })).to.include({ compared: 15, orphans: 15, listing: 'done' });
    expect(listed.filter((last) => last === undefined)).to.have.length(2);
    await stage.storeOrphans(15);
    stage.clock.advance(hours(25));
    await killedIn(2);
    await stage.storeOrphans(1);
    stage.clock.advance(hours(25));
    expect(await node().run()).to.include({ compared: 16, orphans: 16, listing: 'done' });
    expect(listed.filter((last) => last === undefined)).to.have.length(4);
  });

  it('does not wait for a clock that was ahead', async () => {
    await stage.storeOrphans(15);
    const { now } = stage.clock;
    const ahead = { ...stage.clock, now: () => (now() + hours(1_000)) as ReturnType<typeof now> };
    const list: ArchiveStorage['list'] = () => Promise.reject(new Fault('storage_unavailable', 'gone'));
    const archives = replacing(stage.memory.archives, { list });
    expect(await codeOf(stage.with({ clock: ahead, archives }).cleanUp())).to.equal('storage_unavailable');
    stage.clock.advance(hours(25));
    expect(await node().run()).to.include({ orphans: 15, listing: 'done' });
  });

  it('judges by the totals of all windows, even of other sweeps', async () => {
    await stage.storeOrphans(21);
    await stage.publishMany(189);
    stage.clock.advance(hours(25));
    await node(endTimeIn(4)).run();
    stage.clock.advance(minutes(5));
    expect(await node().run(), 'exactly a tenth').to.include({ compared: 210, orphans: 21, listing: 'done' });
    await stage.storeOrphans(22);
    stage.clock.advance(hours(25));
    await node(endTimeIn(19)).run();
    stage.clock.advance(minutes(5));
    expect(await node().run(), 'more than a tenth').to.include({
      compared: 211,
      unnamed: 22,
      orphans: 0,
      listing: 'refused',
    });
    expect(await stage.countArchives()).to.equal(211);
  });

  describe('after a refusal', () => {
    let ended: RoleId | undefined;
    beforeEach(async () => {
      await stage.publishMany(10);
      [ended] = await stage.publishEnded(1);
      await stage.storeOrphans(21);
      stage.clock.advance(hours(25));
      expect(await node().run()).to.include({ unnamed: 21, orphans: 0, archives: 0, listing: 'refused' });
    });

    const refused = { compared: 32, unnamed: 21, orphans: 0, archives: 0, listing: 'refused' };

    it('removes no archive in any sweep until a comparison passes, and reports that', async () => {
      for (const pause of [0, 10, 60]) {
        stage.clock.advance(minutes(pause));
        expect(await node().run()).to.include(refused);
      }
      expect(
        listed.filter((last) => last === undefined),
        'still once a day',
      ).to.have.length(1);
      stage.clock.advance(hours(24));
      expect(await node().run(), 'compared again').to.include(refused);
      expect(await stage.countArchives()).to.equal(32);
      await stage.publishMany(200);
      stage.clock.advance(hours(25));
      expect(await node().run()).to.include({ compared: 232, orphans: 21, archives: 1, listing: 'done' });
      await stage.publishEnded(1);
      stage.clock.advance(hours(1));
      expect(await node().run(), 'the refusal has ended').to.include({ archives: 1, listing: 'not_due' });
      expect(await stage.memory.archives.read(await stage.archiveOf(ended as RoleId), 0, 1)).to.equal(
        undefined,
      );
    });

    it('removes no archive while the next comparison is under way', async () => {
      await stage.publishMany(200);
      stage.clock.advance(hours(25));
      expect(await node(endTimeIn(2)).run()).to.include({
        archives: 0,
        listing: 'refused',
        finished: false,
      });
      stage.clock.advance(minutes(5));
      await killedIn(2);
      expect(await node().run(), 'left to another sweep').to.include({ archives: 0, listing: 'refused' });
      expect(await stage.countArchives()).to.equal(232);
    });
  });

  it('reads the records again before it removes', async () => {
    const ids = await stage.storeOrphans(20);
    stage.clock.advance(hours(25));
    const whichAreNamed: RoleStore['whichAreNamed'] = async (batch) =>
      new Set(batch.filter((id) => ids.indexOf(id) < 3));
    const { cleanUp } = stage.with({ roles: replacing(stage.memory.roles, { whichAreNamed }) });
    expect(await cleanUp()).to.include({ unnamed: 20, orphans: 17, listing: 'done' });
    expect(await stage.memory.archives.list(undefined, 100)).to.deep.equal(ids.slice(0, 3));
  });

  it('removes the archives of ended roles even if storage cannot be listed, fails, and continues once it can be listed', async () => {
    await stage.publishEnded(15);
    stage.clock.advance(hours(25));
    const failing = node((n) => {
      if (n === 2) throw new Fault('storage_unavailable', 'too many delete markers');
    });
    const reports: CleanUpReport[] = [];
    const failed = failing.run({ onProgress: (report) => reports.push(report) });
    expect(await codeOf(failed)).to.equal('storage_unavailable');
    expect(reports.at(-1)).to.include({ archives: 15, listing: 'under_way' });
    stage.clock.advance(minutes(10));
    expect(await node().run()).to.include({ compared: 10, listing: 'done' });
    expect(listed.filter((last) => last === undefined)).to.have.length(1);
  });

  it('holds and stores a bounded number of ids for any number of archives', async () => {
    const all = 80_000;
    const day = archiveCreatedAt(anArchiveId(0));
    /** The ids after one, created on request; storage has a gap at every 40th, and records at every 50th. */
    const page = (last: ArchiveId | undefined, limit: number, gap: number): readonly ArchiveId[] => {
      const ids: ArchiveId[] = [];
      const first = last === undefined ? 0 : archiveCreatedAt(last) - day + 1;
      for (let n = first; n < all && ids.length < limit; n += 1) if (n % gap !== 0) ids.push(anArchiveId(n));
      return ids;
    };
    let [listings, reads] = [0, 0];
    const idCounts: number[] = [];
    const counting = (last: ArchiveId | undefined, limit: number, gap: number) => {
      listings += 1;
      idCounts.push(limit);
      return Promise.resolve(page(last, limit, gap));
    };
    const archives = replacing(stage.memory.archives, {
      list: (last, limit) => counting(last, limit, 40),
      read: async () => {
        reads += 1;
        return undefined;
      },
      delete: async () => {},
    });
    const roles = replacing(stage.memory.roles, {
      listArchives: (last, limit) => counting(last, limit, 50),
      whichAreNamed: async (ids) => {
        idCounts.push(ids.length);
        return new Set(ids.filter((id) => (archiveCreatedAt(id) - day) % 50 !== 0));
      },
      saveComparison: (comparison, version) => {
        idCounts.push(comparison.orphans.length, comparison.missing.length);
        return stage.memory.roles.saveComparison(comparison, version);
      },
    });
    stage.clock.advance(hours(25));
    const report = await stage.with({ archives, roles }).cleanUp();
    expect(report).to.include({ compared: 78_000, unnamed: 1_200, orphans: 1_000, listing: 'done' });
    const missing = page(undefined, all, 50).filter((id) => (archiveCreatedAt(id) - day) % 40 === 0);
    expect(report.missing).to.deep.equal(missing.slice(0, 1_000));
    expect(reads, 'looked up once more').to.equal(1_000);
    expect(Math.max(...idCounts)).to.equal(1_000);
    expect(listings, 'both sides, a thousand at a time').to.be.below(2 * 1.1 * (all / 1_000));
  });
});
