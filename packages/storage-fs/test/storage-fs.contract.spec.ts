import { join } from 'node:path';
import { FsArchiveStorage, FsStaging } from '@pinfold/storage-fs';
import { archiveStorageContract, stagingContract } from '@pinfold/test-contracts';
import { createStagedArchives } from '@pinfold/test-contracts/fixtures';
import { describeArchiveStorage, describeContract } from '@pinfold/test-contracts/mocha';
import type { Files } from '../src/files.ts';
import { filesIn, openFolder } from './opened.ts';
import { lostFiles, unusualFiles } from './unusual-files.ts';

describeArchiveStorage({
  name: 'FsArchiveStorage',
  create: async () => {
    const { storage, openStorage, ...rest } = await openFolder();
    const { stage } = await createStagedArchives(rest.folder);
    return { ...rest, port: storage, peer: openStorage, stage };
  },
  runs: 8,
});

describeContract(archiveStorageContract, {
  name: 'FsArchiveStorage on an unusual file system',
  create: async () => {
    const { folder, staging, clock, openStorage: _, ...rest } = await openFolder();
    const openOn = (files: Files) => async () =>
      new FsArchiveStorage({ folder: join(folder, 'archives'), staging, clock }, files);
    const open = openOn(unusualFiles);
    const { stage } = await createStagedArchives(folder);
    return { ...rest, port: await open(), peer: open, unreachable: openOn(lostFiles), stage };
  },
  // Only these depend on the size of reads, the order of names, and what is lost.
  clauses:
    /\/(harness|put-(whole|atomic|as-staged|many)|read-(range|outside|many|absent)|delete-gone|list-(walk|foreign)|size|check|unreachable|place-gone|leftovers)/,
});

describeContract(stagingContract, {
  name: 'FsStaging',
  create: async () => {
    const { folder, clock, staging, openStaging, strew, dispose } = await openFolder();
    const unreachable = new FsStaging({ folder: join(folder, 'gone'), clock });
    return {
      port: staging,
      peer: openStaging,
      unreachable: async () => unreachable,
      left: async () => (await filesIn(folder)).length,
      strew,
      advance: (length) => clock.advance(length),
      dispose,
    };
  },
});
