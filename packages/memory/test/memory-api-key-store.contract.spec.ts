import { apiKeyStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { createMemory } from '../src/index.ts';

describeContract(apiKeyStoreContract, {
  name: 'MemoryApiKeyStore',
  create: async () => {
    const memory = createMemory();
    return {
      port: memory.apiKeys,
      peer: async () => memory.peer().apiKeys,
      dispose: () => memory.close(),
    };
  },
});
