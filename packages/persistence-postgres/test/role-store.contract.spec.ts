import { roleStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './postgres-subject.ts';

describeContract(roleStoreContract, {
  name: 'PostgresRoleStore',
  create: subjectsOf((handle) => handle.roles),
});
