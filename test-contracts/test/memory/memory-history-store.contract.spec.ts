import { historyStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './memory-subject.ts';

describeContract(historyStoreContract, {
  name: 'MemoryHistoryStore',
  create: subjectsOf((memory) => memory),
});
