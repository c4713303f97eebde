import { historyStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './sqlite-subject.ts';

describeContract(historyStoreContract, {
  name: 'SqliteHistoryStore',
  create: subjectsOf((handle) => handle),
});
