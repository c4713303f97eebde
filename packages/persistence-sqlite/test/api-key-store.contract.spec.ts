import { apiKeyStoreContract, checkApiKeyStoreSequences } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './sqlite-subject.ts';

const create = subjectsOf((handle) => handle.apiKeys);

describeContract(apiKeyStoreContract, { name: 'SqliteApiKeyStore', create });

it('SqliteApiKeyStore answers as the store in memory after any sequence of calls', () =>
  checkApiKeyStoreSequences(create, { runs: 20 }));
