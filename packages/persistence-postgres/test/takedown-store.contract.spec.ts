import { takedownStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './postgres-subject.ts';

describeContract(takedownStoreContract, {
  name: 'PostgresTakedownStore',
  create: subjectsOf((handle) => handle),
});
