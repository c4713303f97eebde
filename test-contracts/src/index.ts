export { accountStoreContract } from './account-store/contract.ts';
export { apiKeySecretsContract } from './api-key-secrets/contract.ts';
export { apiKeyStoreContract } from './api-key-store/contract.ts';
export { archiveInspectorContract } from './archive-inspector/contract.ts';
export type { ArchiveInspectorSubject } from './archive-inspector/subject.ts';
export { type ArchiveStorageSubject, archiveStorageContract } from './archive-storage/contract.ts';
export { checkArchiveStorageSequences, type ModelOptions } from './archive-storage/sequences.ts';
export { type FaultPlan, type FaultyMethod, type Injection, withFaults } from './around-calls.ts';
export { attemptCounterContract } from './attempt-counter/contract.ts';
export { type ClockSubject, clockContract } from './clock/contract.ts';
export {
  type AccountStores,
  bindContract,
  type Clause,
  type Contract,
  type ContractOptions,
  checkClause,
  clausesOf,
  type Runner,
  type StoreSubject,
  type Subject,
} from './contract.ts';
export type { GrantSignerSubject } from './grant-signer/contract.ts';
export { grantSignerContract } from './grant-signer/contract.ts';
export { httpApiContract } from './http/api-contract.ts';
export { type ApiDocument, checkAgainstDocument } from './http/api-document.ts';
export type { HttpContract, HttpService, HttpSubject } from './http/subject.ts';
export { httpViewingContract } from './http/viewing-contract.ts';
export { idsContract } from './ids/contract.ts';
export { passwordHasherContract } from './password-hasher/contract.ts';
export { sessionSecretsContract } from './session-secrets/contract.ts';
export { stagingContract } from './staging/contract.ts';
export type { StagingSubject } from './staging/subject.ts';
