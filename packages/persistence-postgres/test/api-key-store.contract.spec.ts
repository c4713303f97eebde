import { apiKeyStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './postgres-subject.ts';

describeContract(apiKeyStoreContract, {
  name: 'PostgresApiKeyStore',
  create: subjectsOf((handle) => handle.apiKeys),
});
