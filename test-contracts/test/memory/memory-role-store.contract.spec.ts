import { roleStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './memory-subject.ts';

describeContract(roleStoreContract, {
  name: 'MemoryRoleStore',
  create: subjectsOf((memory) => memory.roles),
});
