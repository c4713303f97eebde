import { roleStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './sqlite-subject.ts';

describeContract(roleStoreContract, {
  name: 'SqliteRoleStore',
  create: subjectsOf((handle) => handle.roles),
});
