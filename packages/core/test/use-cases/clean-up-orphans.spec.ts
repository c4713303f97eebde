import {
  type ArchiveId,
  type ArchiveStorage,
  after,
  type Comparison,
  duration,
  Fault,
  hours,
  type IdempotencyKey,
  minutes,
  type Ports,
  type RoleId,
} from '@pinfold/core';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { openCleanupStage } from './cleanup-stage.ts';
import { codeOf, OWNER } from './stage.ts';

describe('comparing storage with the records', () => {
  const stage = ofEachTest(openCleanupStage);

  it('removes archives that no record names from 24 hours on, and no younger ones', async () => {
    await stage.publishMany(1);
    await stage.storeOrphans(2);
    stage.clock.advance(hours(24));
    await stage.storeOrphans(3);
    stage.clock.advance(minutes(1));
    expect(await stage.cleanUp()).to.include({ compared: 3, unnamed: 2, orphans: 2, listing: 'done' });
    expect(await stage.countArchives()).to.equal(4);
  });

  it('ignores archives of exactly 24 hours, stored or missing', async () => {
    const [lost] = await stage.publishMany(1);
    const missing = await stage.archiveOf(lost as RoleId);
    await stage.memory.archives.delete(missing);
    await stage.storeOrphans(1);
    stage.clock.advance(hours(24));
    expect(await stage.cleanUp({ force: true })).to.deep.include({ compared: 0, unnamed: 0, missing: [] });
    stage.clock.advance(duration(1));
    expect(await stage.cleanUp({ force: true })).to.deep.include({
      compared: 1,
      unnamed: 1,
      missing: [missing],
    });
  });

  it('lists storage no further than to the first archive that is too young', async () => {
    await stage.storeOrphans(501);
    const list: ArchiveStorage['list'] = async (last, ...page) => {
      expect(last).to.equal(undefined);
      return await stage.memory.archives.list(last, ...page);
    };
    const { cleanUp } = stage.with({ archives: replacing(stage.memory.archives, { list }) });
    expect(await cleanUp()).to.include({ compared: 0, listing: 'done' });
  });

  it('does not miss an archive that a listing left out', async () => {
    await stage.publishMany(1);
    stage.clock.advance(hours(25));
    const list: ArchiveStorage['list'] = () => Promise.resolve([]);
    const { cleanUp } = stage.with({ archives: replacing(stage.memory.archives, { list }) });
    expect(await cleanUp()).to.deep.include({ compared: 0, missing: [] });
  });

  it('lists storage once in 24 hours over all nodes, also after a clock that was ahead and a forced comparison', async () => {
    expect((await stage.cleanUp()).listing).to.equal('done');
    stage.clock.advance(hours(23));
    expect(await stage.cleanUp()).to.deep.include({ listing: 'not_due', missing: [] });
    stage.clock.advance(hours(1));
    expect((await stage.cleanUp()).listing).to.equal('done');
    const savedComparison = await stage.memory.roles.loadComparison();
    const ahead = {
      ...(savedComparison?.value as Comparison),
      savedAt: after(stage.clock.now(), hours(100_000)),
    };
    await stage.memory.roles.saveComparison(ahead, savedComparison?.version);
    expect((await stage.cleanUp()).listing).to.equal('done');
    expect((await stage.cleanUp()).listing).to.equal('not_due');
    expect((await stage.cleanUp({ force: true })).listing).to.equal('done');
    stage.clock.advance(hours(25));
    expect((await stage.cleanUp()).listing).to.equal('done');
  });

  it('removes 1,000 archives in one comparison, and reports how many are left for the next one', async () => {
    await stage.storeOrphans(1_005);
    await stage.publishMany(2);
    stage.clock.advance(hours(25));
    const whole = { compared: 1_007, unnamed: 1_005 };
    expect(await stage.cleanUp()).to.include({ ...whole, orphans: 0, listing: 'refused' });
    expect(await stage.cleanUp(), 'the refusal remains').to.include({
      ...whole,
      orphans: 0,
      listing: 'refused',
    });
    expect(await stage.cleanUp({ force: true })).to.include({ ...whole, orphans: 1_000, listing: 'done' });
    expect(await stage.cleanUp()).to.include({ compared: 7, unnamed: 5, orphans: 0, listing: 'not_due' });
    expect(await stage.cleanUp({ force: true })).to.include({
      compared: 7,
      unnamed: 5,
      orphans: 5,
      listing: 'done',
    });
    expect(await stage.cleanUp()).to.include({ compared: 2, unnamed: 0, orphans: 0, listing: 'not_due' });
  });

  it('continues after orphans that cannot be removed', async () => {
    const ids = await stage.storeOrphans(20);
    stage.clock.advance(hours(25));
    const remove: ArchiveStorage['delete'] = async (id, signal) => {
      if (ids.indexOf(id) < 5) throw new Fault('storage_unavailable', 'gone');
      await stage.memory.archives.delete(id, signal);
    };
    const { cleanUp } = stage.with({ archives: replacing(stage.memory.archives, { delete: remove }) });
    expect(await cleanUp()).to.include({ orphans: 15, failures: 5, listing: 'done' });
    stage.clock.advance(hours(24));
    expect(await stage.cleanUp()).to.include({ orphans: 5 });
  });

  it('reports a record without its archive, and does not change it', async () => {
    const [id] = await stage.publishMany(2);
    const role = (await stage.memory.roles.load(id as RoleId))?.value;
    await stage.memory.archives.delete(role?.archive as ArchiveId);
    stage.clock.advance(hours(25));
    const { missing, listing } = await stage.cleanUp();
    expect({ missing, listing }).to.deep.equal({ missing: [role?.archive], listing: 'done' });
    expect((await stage.memory.roles.load(id as RoleId))?.value).to.deep.equal(role);
  });

  for (const [how, dryRun] of [
    ['', false],
    [', in a dry run', true],
  ] as const) {
    it(`reports neither a young archive that is missing, nor one that another node removes at the moment${how}`, async () => {
      const [removed] = await stage.publishEnded(1);
      const archive = await stage.archiveOf(removed as RoleId);
      stage.clock.advance(hours(25));
      const [young] = await stage.publishMany(1);
      await stage.memory.archives.delete(await stage.archiveOf(young as RoleId));
      await stage.memory.archives.delete(archive);
      const read: ArchiveStorage['read'] = async (...range) => {
        const bytes = await stage.memory.archives.read(...range);
        await stage.with({}).cleanUp();
        return bytes;
      };
      const other = stage.with({ archives: replacing(stage.memory.archives, { read }) });
      expect((await other.cleanUp({ dryRun })).missing).to.deep.equal([]);
    });
  }

  it('does not report the archive of an ended role as missing after an interrupted cleanup', async () => {
    await stage.publishEnded(1);
    stage.clock.advance(hours(1));
    const settleCleanup = () => Promise.reject(new Fault('store_unavailable', 'gone'));
    const broken = stage.with({ roles: replacing(stage.memory.roles, { settleCleanup }) });
    expect(await codeOf(broken.cleanUp())).to.equal('store_unavailable');
    stage.clock.advance(hours(25));
    expect(await stage.cleanUp()).to.deep.include({ archives: 1, missing: [], listing: 'done' });
  });

  it('compares pages of storage and records side by side', async () => {
    const start = stage.clock.now();
    const isNth = (step: number, offset: number) => (n: number) => n % step === offset;
    const ids: ArchiveId[] = [];
    for (let n = 0; n < 1_100; n += 1) {
      const [id] = await stage.publishMany(1);
      ids.push(await stage.archiveOf(id as RoleId));
      stage.clock.advance(duration(1));
    }
    const missing = ids.filter((_, n) => isNth(200, 7)(n) || n > 1_090);
    for (const id of missing) await stage.memory.archives.delete(id);
    const orphans: ArchiveId[] = [];
    for (let n = 0; n < 12; n += 1)
      orphans.push(...(await stage.storeOrphans(1, after(start, duration(n * 97)))));
    stage.clock.advance(hours(25));
    const pages: number[] = [];
    const report = await stage.cleanUp({ onProgress: ({ compared }) => pages.push(compared) });
    expect(report).to.deep.include({ missing, unnamed: orphans.length, orphans: orphans.length });
    expect(report.compared).to.equal(ids.length - missing.length + orphans.length);
    expect(pages).to.include.members([0, 1_000, report.compared]);
    expect(await stage.countArchives()).to.equal(ids.length - missing.length);
  });

  it('stops between two pages when it is aborted', async () => {
    await stage.storeOrphans(1);
    stage.clock.advance(hours(25));
    const stopping = new AbortController();
    const list: ArchiveStorage['list'] = async (...page) => {
      const ids = await stage.memory.archives.list(...page);
      stopping.abort('stopping');
      return ids;
    };
    const other = stage.with({ archives: replacing(stage.memory.archives, { list }) });
    expect(await codeOf(other.cleanUp({ signal: stopping.signal }))).to.equal('stopping');
    expect(await stage.countArchives()).to.equal(1);
  });
});

describe('a dry run of cleaning up', () => {
  const stage = ofEachTest(openCleanupStage);

  async function abandonReservation(key: string): Promise<void> {
    stage.inspector.during = () => new Promise(() => {});
    void stage.useCases.publish(await stage.request({ key: key as IdempotencyKey }));
    await new Promise((resolve) => setImmediate(resolve));
    stage.inspector.during = () => Promise.resolve();
  }

  it('counts what a sweep would remove, and changes nothing', async () => {
    const endedIds = await stage.publishEnded(3);
    const [ended] = endedIds;
    const [, lost] = await stage.publishMany(2);
    await stage.memory.archives.delete(await stage.archiveOf(lost as RoleId));
    await stage.storeOrphans(2);
    await abandonReservation('abandoned');
    const tries = { window: minutes(5), perAddress: 10, perRole: 300, now: stage.clock.now() };
    await stage.memory.attempts.begin({ role: ended as RoleId, address: '192.0.2.1', ...tries });
    const staging: Partial<Ports['staging']> = { countAbandoned: async () => 4, sweep: async () => 4 };
    stage.clock.advance(hours(25));
    const { cleanUp } = stage.with({ staging: replacing(stage.ports.staging, staging) });
    const version = (await stage.memory.roles.load(ended as RoleId))?.version;
    const counted = await cleanUp({ dryRun: true });
    expect(await stage.countArchives()).to.equal(6);
    expect((await stage.memory.roles.load(ended as RoleId))?.version).to.equal(version);
    expect(await cleanUp({ dryRun: true })).to.deep.equal(counted);
    expect(counted).to.include({ archives: 3, orphans: 2, reservations: 1, uploads: 4 });
    expect(counted.attempts).to.be.above(0);
    expect(counted.ending).to.have.members([...endedIds]);
    expect({ ...(await cleanUp()), stored: null, ending: counted.ending }).to.deep.equal(counted);
    expect(await cleanUp({ dryRun: true })).to.include({ archives: 0, orphans: 0, reservations: 0 });
  });

  it('reports that a sweep would be refused, and the effect of force', async () => {
    await stage.publishEnded(1);
    await stage.storeOrphans(21);
    stage.clock.advance(hours(25));
    const interrupted = await stage.cleanUp({ dryRun: true, time: duration(0) });
    expect(interrupted).to.deep.include({
      listing: 'under_way',
      archives: 1,
      orphans: 0,
      missing: [],
      finished: false,
    });
    const refused = { listing: 'refused', unnamed: 21, orphans: 0, archives: 0 };
    expect(await stage.cleanUp({ dryRun: true })).to.include(refused);
    const forced = { listing: 'done', unnamed: 21, orphans: 21, archives: 1 };
    expect(await stage.cleanUp({ dryRun: true, force: true })).to.include(forced);
    expect(await stage.countArchives()).to.equal(22);
    const page = await stage.useCases.list({ by: OWNER, limit: 10, state: 'deleted' });
    expect(page.kind === 'page' && page.publications).to.have.length(1);
  });
});
