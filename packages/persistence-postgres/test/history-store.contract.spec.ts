import { historyStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './postgres-subject.ts';

describeContract(historyStoreContract, {
  name: 'PostgresHistoryStore',
  create: subjectsOf((handle) => handle),
});
