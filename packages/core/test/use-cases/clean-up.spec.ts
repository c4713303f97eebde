import {
  type ArchiveId,
  type ArchiveStorage,
  before,
  type Cleaning,
  type CleanUpReport,
  days,
  duration,
  Fault,
  hours,
  minutes,
  OPERATOR,
  type Ports,
  type RoleId,
  type RoleStore,
  seconds,
} from '@pinfold/core';
import { rejectionOf, replacing } from '@pinfold/test-contracts/fixtures';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { openCleanupStage } from './cleanup-stage.ts';
import { codeOf } from './stage.ts';

describe('cleaning up', () => {
  const stage = ofEachTest(openCleanupStage);

  /** Cleanups with another implementation of removing an archive. */
  function removing(remove: ArchiveStorage['delete']): Cleaning['cleanUp'] {
    return stage.with({ archives: replacing(stage.memory.archives, { delete: remove }) }).cleanUp;
  }

  it('removes the archives of stopped and expired roles after an hour of grace, and keeps their records', async () => {
    const [stopped, , pinnedId] = await stage.publishMany(3);
    await stage.useCases.stop({ by: OPERATOR, id: stopped as RoleId });
    await stage.useCases.pin({ by: OPERATOR, id: pinnedId as RoleId });
    stage.clock.advance(minutes(59));
    expect((await stage.cleanUp()).archives).to.equal(0);
    stage.clock.advance(minutes(1));
    expect((await stage.cleanUp()).archives).to.equal(1);
    stage.clock.advance(days(8));
    expect((await stage.cleanUp()).archives).to.equal(1);
    expect(await stage.countArchives()).to.equal(1);
    expect(await stage.memory.roles.load(stopped as RoleId)).not.to.equal(undefined);
  });

  it('continues after archives that cannot be removed, and tries them again after ever longer pauses', async () => {
    await stage.publishEnded(20);
    stage.clock.advance(hours(1));
    let failuresLeft = 10;
    const cleanUp = removing(async (id, signal) => {
      failuresLeft -= 1;
      if (failuresLeft >= 0) throw new Fault('storage_unavailable', 'gone');
      await stage.memory.archives.delete(id, signal);
    });
    expect(await cleanUp()).to.include({ archives: 10, failures: 10, finished: true });
    expect(await cleanUp()).to.include({ archives: 0, failures: 0 });
    stage.clock.advance(minutes(1));
    failuresLeft = 1;
    expect(await cleanUp()).to.include({ archives: 9, failures: 1 });
    stage.clock.advance(minutes(1));
    expect(await cleanUp(), 'too soon').to.include({ archives: 0, failures: 0 });
    stage.clock.advance(minutes(1));
    expect(await cleanUp()).to.include({ archives: 1, failures: 0 });
    expect(await stage.countArchives()).to.equal(0);
  });

  it('waits for an archive twice as long after each failure, from a minute to a day, however often it fails', async () => {
    await stage.publishEnded(1);
    stage.clock.advance(hours(1));
    const waits: number[] = [];
    const settleCleanup: RoleStore['settleCleanup'] = async (task, outcome, events) => {
      if (outcome.kind !== 'failed') throw new Error(outcome.kind);
      waits.push((outcome.retryAt - stage.clock.now()) / minutes(1));
      expect(events).to.deep.equal([]);
      await stage.memory.roles.settleCleanup(task, outcome, events);
      stage.clock.advance(duration(outcome.retryAt - stage.clock.now()));
    };
    const roles = replacing(stage.memory.roles, { settleCleanup });
    const remove = () => Promise.reject(new Fault('storage_unavailable', 'gone'));
    const archives = replacing(stage.memory.archives, { delete: remove });
    const { cleanUp } = stage.with({ roles, archives });
    for (let failures = 0; failures < 30; failures += 1) await cleanUp({ time: duration(1) });
    expect(waits).to.deep.equal([...Array.from({ length: 11 }, (_, n) => 2 ** n), ...Array(19).fill(1_440)]);
  });

  it('removes other archives despite a hundred that cannot be removed', async () => {
    await stage.publishEnded(100);
    stage.clock.advance(seconds(1));
    await stage.publishEnded(50);
    stage.clock.advance(hours(1));
    const unremovable = new Set((await stage.memory.archives.list(undefined, 100)) as readonly ArchiveId[]);
    const cleanUp = removing(async (id, signal) => {
      if (!unremovable.has(id)) return await stage.memory.archives.delete(id, signal);
      // Sixteen wait at the same time, half a minute each.
      stage.clock.advance(seconds(30 / 16));
      throw new Fault('storage_unavailable', 'no answer');
    });
    expect((await cleanUp()).archives).to.equal(50);
    await stage.publishEnded(10);
    stage.clock.advance(hours(1));
    expect((await cleanUp()).archives, 'newer ones').to.equal(10);
    expect(await stage.countArchives()).to.equal(100);
  });

  it('stops when its time is over, even if the clock is set, and the next one continues', async () => {
    await stage.publishEnded(40);
    stage.clock.advance(hours(1));
    let [step, next] = [duration(0), hours(1)];
    const remove: ArchiveStorage['delete'] = async (id, signal) => {
      await stage.memory.archives.delete(id, signal);
      stage.clock.advance(seconds(20));
      step = next;
    };
    const { cleanUp } = stage.with({
      archives: replacing(stage.memory.archives, { delete: remove }),
      clock: { ...stage.clock, now: () => before(stage.clock.now(), step) },
    });
    expect(await cleanUp()).to.include({ archives: 16, finished: false });
    step = next = duration(0);
    expect(await cleanUp({ time: minutes(10) })).to.include({ archives: 24, finished: true });
    expect(await stage.cleanUp({ time: duration(0), force: true }), 'no time at all').to.deep.include({
      listing: 'not_due',
      missing: [],
      finished: false,
    });
  });

  it('stops when it is aborted, loses nothing, and the next one continues', async () => {
    await stage.publishEnded(40);
    stage.clock.advance(hours(1));
    const stopping = new AbortController();
    const removed = stage.cleanUp({
      signal: stopping.signal,
      onProgress: ({ archives }) => {
        if (archives > 0) stopping.abort('stopping');
      },
    });
    expect(await codeOf(removed)).to.equal('stopping');
    expect(await stage.countArchives()).to.equal(24);
    expect((await stage.cleanUp()).archives).to.equal(24);
    expect(await codeOf(stage.cleanUp({ signal: AbortSignal.abort('at once') }))).to.equal('at once');
  });

  it('continues an interrupted cleanup once its claims have lapsed', async () => {
    await stage.publishEnded(3);
    stage.clock.advance(hours(1));
    const settleCleanup = () => Promise.reject(new Fault('store_unavailable', 'gone'));
    const broken = stage.with({ roles: replacing(stage.memory.roles, { settleCleanup }) });
    expect(await codeOf(broken.cleanUp())).to.equal('store_unavailable');
    expect(await stage.countArchives()).to.equal(0);
    expect((await stage.cleanUp()).archives, 'still claimed').to.equal(0);
    stage.clock.advance(minutes(10));
    expect((await stage.cleanUp()).archives).to.equal(3);
  });

  it('removes each archive once when many clean up at the same time', async () => {
    await stage.publishEnded(100);
    stage.clock.advance(hours(1));
    const removals: ArchiveId[] = [];
    const nodes = Array.from({ length: 5 }, () => {
      const memory = stage.memory.peer();
      const remove: ArchiveStorage['delete'] = async (id, signal) => {
        removals.push(id);
        await memory.archives.delete(id, signal);
      };
      const archives = replacing(memory.archives, { delete: remove });
      return stage.with({ roles: memory.roles, archives }).cleanUp;
    });
    const reports = await Promise.all(nodes.map((cleanUp) => cleanUp()));
    expect(reports.reduce((sum, { archives }) => sum + archives, 0)).to.equal(100);
    expect(removals.length).to.equal(new Set(removals).size);
    expect(reports.filter(({ listing }) => listing === 'done')).to.have.length(1);
  });

  it('drops reservations begun more than 12 hours ago', async () => {
    const proving = Promise.withResolvers<void>();
    stage.inspector.during = () => {
      proving.resolve();
      return new Promise(() => {});
    };
    void stage.useCases.publish(await stage.request());
    await proving.promise;
    stage.inspector.during = () => Promise.resolve();
    stage.clock.advance(hours(12));
    expect((await stage.cleanUp()).reservations).to.equal(0);
    stage.clock.advance(minutes(1));
    expect((await stage.cleanUp()).reservations).to.equal(1);
    await stage.publish();
  });

  it('drops old data in bounded steps, then lists storage, then reads the records', async () => {
    const calls: string[] = [];
    let [reservations, attempts] = [250, 100];
    const ports: Partial<Ports> = {
      roles: replacing(stage.memory.roles, {
        purge: async (_, limit) => {
          calls.push(`reservations ${limit}`);
          const count = Math.min(limit, reservations);
          reservations -= count;
          return count;
        },
        listArchives: async () => {
          calls.push('records');
          return [];
        },
      }),
      attempts: replacing(stage.memory.attempts, {
        purge: async (_, limit) => {
          calls.push(`attempts ${limit}`);
          const count = Math.min(limit, attempts);
          attempts -= count;
          return count;
        },
      }),
      archives: replacing(stage.memory.archives, {
        list: async () => {
          calls.push('list');
          return [];
        },
      }),
    };
    const report = await stage.with(ports).cleanUp();
    expect(report).to.include({ reservations: 250, attempts: 100 });
    expect(calls).to.deep.equal([
      ...Array(3).fill('reservations 100'),
      ...Array(2).fill('attempts 100'),
      'list',
      'records',
    ]);
  });

  it('does not compare while a reservation that is too old may be left', async () => {
    await stage.storeOrphans(1);
    stage.clock.advance(hours(25));
    const purge: RoleStore['purge'] = async (_, limit) => {
      stage.clock.advance(minutes(3));
      return limit;
    };
    const report = await stage.with({ roles: replacing(stage.memory.roles, { purge }) }).cleanUp();
    expect(report).to.include({ listing: 'not_due', finished: false, compared: 0 });
    expect(await stage.countArchives()).to.equal(1);
    expect((await stage.cleanUp()).orphans, 'the comparison was left to this sweep').to.equal(1);
  });

  it('removes uploads that were abandoned on this node', async () => {
    const calls: number[] = [];
    const sweep: Ports['staging']['sweep'] = async (receivedBefore) => {
      calls.push(stage.clock.now() - receivedBefore);
      return 7;
    };
    const { cleanUp } = stage.with({ staging: replacing(stage.ports.staging, { sweep }) });
    expect((await cleanUp()).uploads).to.equal(7);
    expect(calls).to.deep.equal([hours(24)]);
  });

  it('rejects with an error that is not a fault', async () => {
    await stage.publishEnded(1);
    stage.clock.advance(hours(1));
    const bug = new TypeError('a bug');
    const list = () => Promise.reject(bug);
    const other = stage.with({ archives: replacing(stage.memory.archives, { list }) });
    expect(await rejectionOf(other.cleanUp())).to.equal(bug);
    expect(await stage.countArchives(), 'nothing was done after it').to.equal(1);
    stage.clock.advance(minutes(2));
    expect(await rejectionOf(removing(() => Promise.reject(bug))())).to.equal(bug);
  });

  it('reports its progress after each step', async () => {
    await stage.publishEnded(20);
    await stage.storeOrphans(3);
    stage.clock.advance(hours(25));
    const reports: CleanUpReport[] = [];
    const last = await stage.cleanUp({ onProgress: (report) => reports.push(report) });
    expect(reports.at(-1)).to.deep.equal(last);
    expect(reports.map(({ archives }) => archives)).to.include.members([0, 16, 20]);
    expect(last).to.deep.equal({
      reservations: 0,
      attempts: 0,
      uploads: 0,
      ending: [],
      archives: 20,
      failures: 0,
      compared: 23,
      unnamed: 3,
      orphans: 3,
      missing: [],
      listing: 'done',
      finished: true,
      rested: false,
      withoutArchive: [],
      stored: { pinned: 0, unpinned: 0, bytes: 0 },
      clockDiffers: false,
      removalBehind: 0,
    });
  });

  it('waits for the grace of its limits, even for none', async () => {
    const { cleanUp } = stage.with({}, { cleanupGrace: duration(0) });
    await stage.publishEnded(1);
    expect((await cleanUp()).archives).to.equal(1);
  });
});
