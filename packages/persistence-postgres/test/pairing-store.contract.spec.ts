import { pairingStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './postgres-subject.ts';

describeContract(pairingStoreContract, {
  name: 'PostgresPairingStore',
  create: subjectsOf((stores) => stores),
});
