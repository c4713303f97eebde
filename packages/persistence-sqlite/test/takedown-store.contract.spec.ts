import { takedownStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './sqlite-subject.ts';

describeContract(takedownStoreContract, {
  name: 'SqliteTakedownStore',
  create: subjectsOf((handle) => handle),
});
