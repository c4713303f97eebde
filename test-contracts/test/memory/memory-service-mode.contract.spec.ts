import { serviceModeContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './memory-subject.ts';

describeContract(serviceModeContract, {
  name: 'MemoryServiceMode',
  create: subjectsOf((handle) => handle),
});
