import { join } from 'node:path';
import { FsArchiveStorage } from '@pinfold/storage-fs';
import { archiveStorageContract, checkArchiveStorageSequences } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import type { Files } from '../src/files.ts';
import { grudgingFiles, lostFiles } from './grudging-files.ts';
import { openFolder } from './opened.ts';

const create = async () => {
  const { storage, openStorage, ...rest } = await openFolder();
  return { port: storage, peer: openStorage, ...rest };
};

describeContract(archiveStorageContract, { name: 'FsArchiveStorage', create });

it('FsArchiveStorage answers as the storage in memory after any sequence of calls', () =>
  checkArchiveStorageSequences(create, { runs: 8 }));

describeContract(archiveStorageContract, {
  name: 'FsArchiveStorage on a system that gives little',
  create: async () => {
    const { folder, staging, clock, openStorage: _, ...rest } = await openFolder();
    const over = (files: Files) => async () =>
      new FsArchiveStorage({ folder: join(folder, 'archives'), staging, clock }, files);
    const open = over(grudgingFiles);
    return { ...rest, port: await open(), peer: open, unreachable: over(lostFiles) };
  },
});
