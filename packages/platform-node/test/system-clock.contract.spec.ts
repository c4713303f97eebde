import { SystemClock } from '@pinfold/platform-node';
import { clockContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';

describeContract(clockContract, {
  name: 'SystemClock',
  create: async () => ({
    port: new SystemClock(),
    peer: async () => new SystemClock(),
    elapse: async () => {},
    dispose: async () => {},
  }),
});
