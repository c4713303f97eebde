import { sessionStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { createMemory } from '../src/index.ts';

describeContract(sessionStoreContract, {
  name: 'MemorySessionStore',
  create: async () => {
    const memory = createMemory();
    return {
      port: memory.sessions,
      peer: async () => memory.peer().sessions,
      dispose: () => memory.close(),
    };
  },
});
