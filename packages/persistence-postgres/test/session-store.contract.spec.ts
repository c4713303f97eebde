import { checkSessionStoreSequences, sessionStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './postgres-subject.ts';

const create = subjectsOf((handle) => handle.sessions);

describeContract(sessionStoreContract, { name: 'PostgresSessionStore', create });

it('PostgresSessionStore answers as the store in memory after any sequence of calls', () =>
  checkSessionStoreSequences(create, { runs: 8 }));
