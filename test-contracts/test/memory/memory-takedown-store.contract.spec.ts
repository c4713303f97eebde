import { takedownStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './memory-subject.ts';

describeContract(takedownStoreContract, {
  name: 'MemoryTakedownStore',
  create: subjectsOf((handle) => handle),
});
