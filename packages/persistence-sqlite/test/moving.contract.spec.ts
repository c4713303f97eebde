import { importContract, snapshotContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './sqlite-subject.ts';

describeContract(snapshotContract, {
  name: 'SqliteSnapshot',
  create: subjectsOf((handle) => handle),
});
describeContract(importContract, {
  name: 'SqliteImport',
  create: subjectsOf((handle) => handle),
});
