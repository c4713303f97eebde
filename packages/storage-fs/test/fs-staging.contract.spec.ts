import { stagingContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { filesIn, openFolder } from './opened.ts';

describeContract(stagingContract, {
  name: 'FsStaging',
  create: async () => {
    const { folder, clock, staging, openStaging, dispose } = await openFolder();
    return {
      port: staging,
      peer: openStaging,
      left: async () => (await filesIn(folder)).length,
      advance: (length) => clock.advance(length),
      dispose,
    };
  },
});
