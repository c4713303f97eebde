import { attemptCounterContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './memory-subject.ts';

describeContract(attemptCounterContract, {
  name: 'MemoryAttemptCounter',
  create: subjectsOf((memory) => memory.attempts),
});
