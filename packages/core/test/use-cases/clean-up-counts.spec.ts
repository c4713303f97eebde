import { days, duration, hours, OPERATOR, type RoleId, type RoleStore } from '@pinfold/core';
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
