import { sessionStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './sqlite-subject.ts';

describeContract(sessionStoreContract, {
  name: 'SqliteSessionStore',
  create: subjectsOf((handle) => handle.sessions),
});
