import { archiveStorageContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { openFolder } from './opened.ts';

describeContract(archiveStorageContract, {
  name: 'FsArchiveStorage',
  create: async () => {
    const { storage, openStorage, ...rest } = await openFolder();
    return { port: storage, peer: openStorage, ...rest };
  },
});
