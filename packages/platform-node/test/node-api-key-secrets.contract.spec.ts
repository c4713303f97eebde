import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { apiKeySecretsContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';

describeContract(apiKeySecretsContract, {
  name: 'NodeApiKeySecrets',
  create: async () => ({
    port: new NodeApiKeySecrets(),
    peer: async () => new NodeApiKeySecrets(),
    dispose: async () => {},
  }),
});
