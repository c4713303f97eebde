import { attemptCounterContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './sqlite-subject.ts';

describeContract(attemptCounterContract, {
  name: 'SqliteAttemptCounter',
  create: subjectsOf((handle) => handle.attempts),
});
