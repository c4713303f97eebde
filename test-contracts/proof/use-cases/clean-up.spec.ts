import {
  type ArchiveStorage,
  type CleanUpReport,
  days,
  Fault,
  hours,
  type IdempotencyKey,
  minutes,
  type RoleId,
} from '@pinfold/core';
import { expect } from 'chai';
import { codeOf, openStage, overriding, type Stage } from './stage.ts';

describe('cleaning up', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage();
  });
  afterEach(() => stage.dispose());

  async function publishMany(count: number): Promise<readonly RoleId[]> {
    const ids: RoleId[] = [];
    for (let n = 0; n < count; n += 1) {
      ids.push(await stage.publish({ key: `key ${n}` as IdempotencyKey, bytes: `PK ${n}` }));
    }
    return ids;
  }

  async function orphan(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      const { archive } = await stage.request({ bytes: `PK orphan ${n}` });
      await stage.memory.archives.put(stage.ports.ids.archive(stage.clock.now()), archive);
    }
  }

  async function archives(): Promise<number> {
    return (await stage.memory.archives.list(undefined, 1_000)).length;
  }

  it('removes the archives of stopped and expired roles after an hour of grace, and keeps their records', async () => {
    const [stopped, , kept] = await publishMany(3);
    await stage.useCases.stop.stop({ id: stopped as RoleId });
    await stage.useCases.pin.pin({ id: kept as RoleId });
    stage.clock.advance(minutes(59));
    expect((await stage.useCases.cleanUp.run()).archives).to.equal(0);
    stage.clock.advance(minutes(1));
    expect((await stage.useCases.cleanUp.run()).archives).to.equal(1);
    stage.clock.advance(days(8));
    expect((await stage.useCases.cleanUp.run()).archives).to.equal(1);
    expect(await archives()).to.equal(1);
    expect(await stage.memory.roles.load(stopped as RoleId)).not.to.equal(undefined);
  });

  it('goes on past archives that cannot be removed, and tries them again later, each time later', async () => {
    const ids = await publishMany(20);
    for (const id of ids) await stage.useCases.stop.stop({ id });
    stage.clock.advance(hours(1));
    let broken = 10;
    const remove: ArchiveStorage['delete'] = async (id, signal) => {
      broken -= 1;
      if (broken >= 0) throw new Fault('storage_unavailable', 'gone');
      await stage.memory.archives.delete(id, signal);
    };
    const { cleanUp } = stage.with({ archives: overriding(stage.memory.archives, { delete: remove }) });
    expect(await cleanUp.run()).to.include({ archives: 10, failures: 10 });
    expect(await cleanUp.run()).to.include({ archives: 0, failures: 0 });
    stage.clock.advance(minutes(1));
    expect(await cleanUp.run()).to.include({ archives: 10, failures: 0 });
    expect(await archives()).to.equal(0);
  });

  it('removes archives that no record names from 24 hours on, and no younger ones', async () => {
    await publishMany(1);
    await orphan(2);
    stage.clock.advance(hours(24));
    await orphan(3);
    stage.clock.advance(minutes(1));
    expect(await stage.useCases.cleanUp.run()).to.include({ orphans: 2, listing: 'done' });
    expect(await archives()).to.equal(4);
  });

  it('lists storage once in 24 hours over all nodes', async () => {
    expect((await stage.useCases.cleanUp.run()).listing).to.equal('done');
    stage.clock.advance(hours(23));
    expect((await stage.useCases.cleanUp.run()).listing).to.equal('not_due');
    stage.clock.advance(hours(1));
    expect((await stage.useCases.cleanUp.run()).listing).to.equal('done');
  });

  it('removes nothing when so many archives have no record that the records must be wrong, unless forced', async () => {
    await publishMany(10);
    await orphan(21);
    stage.clock.advance(hours(25));
    expect(await stage.useCases.cleanUp.run()).to.include({ orphans: 0, listing: 'refused' });
    expect(await archives()).to.equal(31);
    expect(await stage.useCases.cleanUp.run({ force: true })).to.include({ orphans: 21, listing: 'done' });
    expect(await archives()).to.equal(10);
  });

  it('removes 20 archives without a record, however few there are in all', async () => {
    await orphan(20);
    stage.clock.advance(hours(25));
    expect(await stage.useCases.cleanUp.run()).to.include({ orphans: 20, listing: 'done' });
  });

  it('reports a record whose archive is missing, and leaves it as it is', async () => {
    const [id] = await publishMany(2);
    const role = (await stage.memory.roles.load(id as RoleId))?.value;
    await stage.memory.archives.delete(role?.archive as never);
    stage.clock.advance(hours(25));
    const { missing, listing } = await stage.useCases.cleanUp.run();
    expect({ missing, listing }).to.deep.equal({ missing: [role?.archive], listing: 'done' });
    expect((await stage.memory.roles.load(id as RoleId))?.value).to.deep.equal(role);
  });

  it('drops reservations begun more than 12 hours ago', async () => {
    stage.inspector.during = () => new Promise(() => {});
    void stage.useCases.publish.publish(await stage.request());
    stage.inspector.during = () => Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    stage.clock.advance(hours(12));
    expect((await stage.useCases.cleanUp.run()).reservations).to.equal(0);
    stage.clock.advance(minutes(1));
    expect((await stage.useCases.cleanUp.run()).reservations).to.equal(1);
    await stage.publish();
  });

  it('says how far it has come, and stops when it is told to', async () => {
    const reports: CleanUpReport[] = [];
    const last = await stage.useCases.cleanUp.run({ onProgress: (report) => reports.push(report) });
    expect(reports.at(-1)).to.deep.equal(last);
    const signal = AbortSignal.abort('stopping');
    expect(await codeOf(stage.useCases.cleanUp.run({ signal }))).to.equal('stopping');
  });
});
