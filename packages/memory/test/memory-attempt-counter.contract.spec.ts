import { attemptCounterContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { createMemory } from '../src/index.ts';

describeContract(attemptCounterContract, {
  name: 'MemoryAttemptCounter',
  create: async () => {
    const memory = createMemory();
    return {
      port: memory.attempts,
      peer: async () => memory.peer().attempts,
      dispose: () => memory.close(),
    };
  },
});
