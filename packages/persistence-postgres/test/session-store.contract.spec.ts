import { sessionStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './postgres-subject.ts';

describeContract(sessionStoreContract, {
  name: 'PostgresSessionStore',
  create: subjectsOf((handle) => handle.sessions),
});
