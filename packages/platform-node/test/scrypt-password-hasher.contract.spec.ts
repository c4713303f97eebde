import { ScryptPasswordHasher } from '@pinfold/platform-node';
import { passwordHasherContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';

const open = (): ScryptPasswordHasher => new ScryptPasswordHasher({ cost: { logN: 4, r: 8, p: 1 } });

describeContract(passwordHasherContract, {
  name: 'ScryptPasswordHasher',
  create: async () => ({ port: open(), peer: async () => open(), dispose: async () => {} }),
});
