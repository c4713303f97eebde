import { checkSessionStoreSequences, sessionStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './memory-subject.ts';

const create = subjectsOf((memory) => memory.sessions);

describeContract(sessionStoreContract, { name: 'MemorySessionStore', create });

it('MemorySessionStore answers as the store in memory after any sequence of calls', () =>
  checkSessionStoreSequences(create));
