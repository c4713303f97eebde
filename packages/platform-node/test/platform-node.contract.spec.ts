import {
  HmacGrantSigner,
  NodeApiKeySecrets,
  NodeSessionSecrets,
  RandomIds,
  ScryptPasswordHasher,
  SystemClock,
} from '@pinfold/platform-node';
import {
  apiKeySecretsContract,
  clockContract,
  grantSignerContract,
  idsContract,
  passwordHasherContract,
  sessionSecretsContract,
} from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';

/** Creates subjects whose port and peers share no state. */
const subjectsOf =
  <Port>(open: () => Port) =>
  async () => ({ port: open(), peer: async () => open(), dispose: async () => {} });

const signerWith = (...secrets: [string, ...string[]]) => new HmacGrantSigner({ secrets });
const CURRENT = 'the current secret of this service';
const NEW = 'the secret that will take its place';
const FOREIGN = 'the secret of another service';

describeContract(apiKeySecretsContract, {
  name: 'NodeApiKeySecrets',
  create: subjectsOf(() => new NodeApiKeySecrets()),
});
describeContract(sessionSecretsContract, {
  name: 'NodeSessionSecrets',
  create: subjectsOf(() => new NodeSessionSecrets()),
});
describeContract(idsContract, { name: 'RandomIds', create: subjectsOf(() => new RandomIds()) });
describeContract(passwordHasherContract, {
  name: 'ScryptPasswordHasher',
  create: subjectsOf(() => new ScryptPasswordHasher({ cost: { logN: 4, r: 8, p: 1 } })),
});
describeContract(clockContract, {
  name: 'SystemClock',
  // The system's clock runs by itself, so `elapse` does nothing.
  create: async () => ({ ...(await subjectsOf(() => new SystemClock())()), elapse: async () => {} }),
});
describeContract(grantSignerContract, {
  name: 'HmacGrantSigner',
  create: async () => ({
    ...(await subjectsOf(() => signerWith(CURRENT))()),
    successor: async () => signerWith(NEW, CURRENT),
    ofAnotherKey: async () => signerWith(FOREIGN),
  }),
});
