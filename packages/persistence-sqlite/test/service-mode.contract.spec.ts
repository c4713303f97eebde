import { serviceModeContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './sqlite-subject.ts';

describeContract(serviceModeContract, {
  name: 'SqliteServiceMode',
  create: subjectsOf((handle) => handle),
});
