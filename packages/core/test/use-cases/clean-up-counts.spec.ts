import { after, days, duration, Fault, hours, OPERATOR, type RoleId, type RoleStore } from '@pinfold/core';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { openCleanupStage } from './cleanup-stage.ts';

describe('the counts of a sweep', () => {
  const stage = ofEachTest(openCleanupStage);

  it('include publications in service and stored archives after the removal, if there is time', async () => {
    const [stopped, pinned] = await stage.publishMany(4);
    const sizeOf = async (id: RoleId | undefined): Promise<number> =>
      (await stage.memory.roles.load(id as RoleId))?.value.archiveBytes ?? Number.NaN;
    const size = await sizeOf(pinned);
    await stage.useCases.pin({ by: OPERATOR, id: pinned as RoleId });
    await stage.useCases.stop({ by: OPERATOR, id: stopped as RoleId });
    expect((await stage.cleanUp()).stored).to.deep.equal({ pinned: 1, unpinned: 2, bytes: 4 * size });
    stage.clock.advance(hours(1));
    expect((await stage.cleanUp()).stored).to.deep.equal({ pinned: 1, unpinned: 2, bytes: 3 * size });
    expect((await stage.cleanUp({ dryRun: true })).stored, 'a dry run').to.equal(null);
    expect((await stage.cleanUp({ time: duration(0) })).stored, 'without time').to.equal(null);
    stage.clock.advance(days(7));
    expect((await stage.cleanUp()).stored).to.deep.equal({ pinned: 1, unpinned: 0, bytes: size });
  });

  it('of a dry run up to a later time include what ended, what ends by then, and removals tried again by then', async () => {
    const [stopped, ending, pinned] = (await stage.publishMany(3)) as readonly RoleId[];
    const wholeDay = { dryRun: true, endsBefore: after(stage.clock.now(), days(1)) };
    await stage.useCases.stop({ by: OPERATOR, id: stopped as RoleId });
    expect(await stage.cleanUp({ dryRun: true })).to.deep.include({ archives: 0, ending: [] });
    expect(await stage.cleanUp(wholeDay)).to.deep.include({ archives: 1, ending: [stopped] });
    await stage.useCases.pin({ by: OPERATOR, id: pinned as RoleId });
    const all = { dryRun: true, endsBefore: after(stage.clock.now(), days(8)) };
    expect(await stage.cleanUp(all)).to.deep.include({ archives: 2, ending: [stopped, ending] });
    expect(await stage.countArchives()).to.equal(3);
    stage.clock.advance(hours(1));
    const fails = replacing(stage.memory.archives, {
      delete: () => Promise.reject(new Fault('storage_unavailable', 'gone')),
    });
    expect((await stage.with({ archives: fails }).cleanUp()).failures).to.equal(1);
    expect(await stage.cleanUp({ dryRun: true })).to.deep.include({ archives: 0, ending: [] });
    expect(await stage.cleanUp(wholeDay)).to.deep.include({ archives: 1, ending: [stopped] });
  });

  it('are made in windows for any number of publications, and let other work run in between', async () => {
    const limits: number[] = [];
    const countStored: RoleStore['countStored'] = (window) => {
      limits.push(window.limit);
      return stage.memory.roles.countStored({ ...window, limit: 2 });
    };
    await stage.publishMany(5);
    const { cleanUp } = stage.with({ roles: replacing(stage.memory.roles, { countStored }) });
    expect((await cleanUp()).stored).to.deep.include({ pinned: 0, unpinned: 5 });
    expect(limits).to.deep.equal([1_000, 1_000, 1_000]);
  });
});
