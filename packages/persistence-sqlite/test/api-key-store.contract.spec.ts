import { apiKeyStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './sqlite-subject.ts';

describeContract(apiKeyStoreContract, {
  name: 'SqliteApiKeyStore',
  create: subjectsOf((handle) => handle.apiKeys),
});
