import { apiKeyStoreContract, checkApiKeyStoreSequences } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './memory-subject.ts';

const create = subjectsOf((memory) => memory.apiKeys);

describeContract(apiKeyStoreContract, { name: 'MemoryApiKeyStore', create });

it('MemoryApiKeyStore answers as the store in memory after any sequence of calls', () =>
  checkApiKeyStoreSequences(create));
