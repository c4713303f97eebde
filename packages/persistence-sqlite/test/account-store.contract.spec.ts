import { accountStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './sqlite-subject.ts';

describeContract(accountStoreContract, {
  name: 'SqliteAccountStore',
  create: subjectsOf((handle) => handle),
});
