import { serviceModeContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './postgres-subject.ts';

describeContract(serviceModeContract, {
  name: 'PostgresServiceMode',
  create: subjectsOf((handle) => handle),
});
