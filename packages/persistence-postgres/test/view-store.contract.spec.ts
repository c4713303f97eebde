import { viewStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './postgres-subject.ts';

describeContract(viewStoreContract, {
  name: 'PostgresViewStore',
  create: subjectsOf(({ views }) => views),
});
