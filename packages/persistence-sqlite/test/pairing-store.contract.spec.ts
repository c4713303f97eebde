import { pairingStoreContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './sqlite-subject.ts';

describeContract(pairingStoreContract, {
  name: 'SqlitePairingStore',
  create: subjectsOf((stores) => stores),
});
