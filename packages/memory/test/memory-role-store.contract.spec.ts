import { roleStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { createMemory } from '../src/index.ts';

describeContract(roleStoreContract, {
  name: 'MemoryRoleStore',
  create: async () => {
    const memory = createMemory();
    return {
      port: memory.roles,
      peer: async () => memory.peer().roles,
      dispose: () => memory.close(),
    };
  },
});
