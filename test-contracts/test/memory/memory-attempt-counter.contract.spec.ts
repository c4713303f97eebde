import { attemptCounterContract, checkAttemptCounterSequences } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './memory-subject.ts';

const create = subjectsOf((memory) => memory.attempts);

describeContract(attemptCounterContract, { name: 'MemoryAttemptCounter', create });

it('MemoryAttemptCounter answers as the counter in memory after any sequence of calls', () =>
  checkAttemptCounterSequences(create));
