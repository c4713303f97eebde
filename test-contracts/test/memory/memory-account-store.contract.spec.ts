import { accountStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './memory-subject.ts';

describeContract(accountStoreContract, {
  name: 'MemoryAccountStore',
  create: subjectsOf((handle) => handle),
});
