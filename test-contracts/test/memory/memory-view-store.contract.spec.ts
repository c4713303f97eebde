import { viewStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './memory-subject.ts';

describeContract(viewStoreContract, {
  name: 'MemoryViewStore',
  create: subjectsOf(({ views }) => views),
});
