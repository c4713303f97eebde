import { RandomIds } from '@pinfold/platform-node';
import { idsContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';

describeContract(idsContract, {
  name: 'RandomIds',
  create: async () => ({
    port: new RandomIds(),
    peer: async () => new RandomIds(),
    dispose: async () => {},
  }),
});
