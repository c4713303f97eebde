import { join } from 'node:path';
import { FsStaging } from '@pinfold/storage-fs';
import { stagingContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { filesIn, openFolder } from './opened.ts';

describeContract(stagingContract, {
  name: 'FsStaging',
  create: async () => {
    const { folder, clock, staging, openStaging, strew, dispose } = await openFolder();
    const gone = new FsStaging({ folder: join(folder, 'gone'), clock });
    return {
      port: staging,
      peer: openStaging,
      unreachable: async () => gone,
      left: async () => (await filesIn(folder)).length,
      strew,
      advance: (length) => clock.advance(length),
      dispose,
    };
  },
});
