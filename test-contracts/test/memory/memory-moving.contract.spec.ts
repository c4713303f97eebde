import { importContract, snapshotContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './memory-subject.ts';

describeContract(snapshotContract, {
  name: 'MemorySnapshot',
  create: subjectsOf((handle) => handle),
});
describeContract(importContract, {
  name: 'MemoryImport',
  create: subjectsOf((handle) => handle),
});
