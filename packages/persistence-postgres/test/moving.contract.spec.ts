import { importContract, snapshotContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './postgres-subject.ts';

describeContract(snapshotContract, {
  name: 'PostgresSnapshot',
  create: subjectsOf((handle) => handle),
});
describeContract(importContract, {
  name: 'PostgresImport',
  create: subjectsOf((handle) => handle),
});
