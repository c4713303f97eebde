import { attemptCounterContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './postgres-subject.ts';

describeContract(attemptCounterContract, {
  name: 'PostgresAttemptCounter',
  create: subjectsOf((handle) => handle.attempts),
});
