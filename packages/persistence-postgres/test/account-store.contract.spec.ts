import { accountStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './postgres-subject.ts';

describeContract(accountStoreContract, {
  name: 'PostgresAccountStore',
  create: subjectsOf((handle) => handle),
});
