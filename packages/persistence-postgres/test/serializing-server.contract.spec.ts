import {
  apiKeyStoreContract,
  attemptCounterContract,
  roleStoreContract,
  serviceModeContract,
} from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { subjectsOf } from './postgres-subject.ts';

/** A server set up to let nothing but serial histories pass rolls back much of what happens at once. */
const SERIALIZING = { options: '-c default_transaction_isolation=serializable' };

describeContract(roleStoreContract, {
  name: 'PostgresRoleStore on a serializing server',
  create: subjectsOf((handle) => handle.roles, SERIALIZING),
});
describeContract(apiKeyStoreContract, {
  name: 'PostgresApiKeyStore on a serializing server',
  create: subjectsOf((handle) => handle.apiKeys, SERIALIZING),
});
describeContract(attemptCounterContract, {
  name: 'PostgresAttemptCounter on a serializing server',
  create: subjectsOf((handle) => handle.attempts, SERIALIZING),
});
describeContract(serviceModeContract, {
  name: 'PostgresServiceMode on a serializing server',
  create: subjectsOf((handle) => handle, SERIALIZING),
});
