import { HmacGrantSigner } from '@pinfold/platform-node';
import { grantSignerContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';

const PRESENT = 'the present secret of this service';
const NEW = 'the secret that will take its place';
const FOREIGN = 'the secret of another service there';

describeContract(grantSignerContract, {
  name: 'HmacGrantSigner',
  create: async () => ({
    port: new HmacGrantSigner({ secrets: [PRESENT] }),
    peer: async () => new HmacGrantSigner({ secrets: [PRESENT] }),
    successor: async () => new HmacGrantSigner({ secrets: [NEW, PRESENT] }),
    stranger: async () => new HmacGrantSigner({ secrets: [FOREIGN] }),
    dispose: async () => {},
  }),
});
