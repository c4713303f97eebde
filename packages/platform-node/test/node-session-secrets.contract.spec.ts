import { NodeSessionSecrets } from '@pinfold/platform-node';
import { sessionSecretsContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';

describeContract(sessionSecretsContract, {
  name: 'NodeSessionSecrets',
  create: async () => ({
    port: new NodeSessionSecrets(),
    peer: async () => new NodeSessionSecrets(),
    dispose: async () => {},
  }),
});
