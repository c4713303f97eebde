import { viewStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './sqlite-subject.ts';

describeContract(viewStoreContract, {
  name: 'SqliteViewStore',
  create: subjectsOf(({ views }) => views),
});
