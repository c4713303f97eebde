import { apiKeyStoreContract, checkApiKeyStoreSequences } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './postgres-subject.ts';

const create = subjectsOf((handle) => handle.apiKeys);

describeContract(apiKeyStoreContract, { name: 'PostgresApiKeyStore', create });

it('PostgresApiKeyStore answers as the store in memory after any sequence of calls', () =>
  checkApiKeyStoreSequences(create, { runs: 8 }));
