import { attemptCounterContract, checkAttemptCounterSequences } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './postgres-subject.ts';

const create = subjectsOf((handle) => handle.attempts);

describeContract(attemptCounterContract, { name: 'PostgresAttemptCounter', create });

it('PostgresAttemptCounter answers as the counter in memory after any sequence of calls', () =>
  checkAttemptCounterSequences(create, { runs: 4 }));
