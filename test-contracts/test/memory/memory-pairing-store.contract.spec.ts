import { pairingStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './memory-subject.ts';

describeContract(pairingStoreContract, {
  name: 'MemoryPairingStore',
  create: subjectsOf((stores) => stores),
});
