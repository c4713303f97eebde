import { sessionStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './memory-subject.ts';

describeContract(sessionStoreContract, {
  name: 'MemorySessionStore',
  create: subjectsOf((memory) => memory.sessions),
});
