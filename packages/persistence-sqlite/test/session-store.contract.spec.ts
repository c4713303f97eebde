import { checkSessionStoreSequences, sessionStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './sqlite-subject.ts';

const create = subjectsOf((handle) => handle.sessions);

describeContract(sessionStoreContract, { name: 'SqliteSessionStore', create });

it('SqliteSessionStore answers as the store in memory after any sequence of calls', () =>
  checkSessionStoreSequences(create, { runs: 20 }));
