import { apiKeyStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './memory-subject.ts';

describeContract(apiKeyStoreContract, {
  name: 'MemoryApiKeyStore',
  create: subjectsOf((memory) => memory.apiKeys),
});
