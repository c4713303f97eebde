import { accountStoreTable } from './account-store.ts';
import { apiKeyStoreTable } from './api-key-store.ts';
import { archiveInspectorTable } from './archive-inspector.ts';
import { archiveStorageTable } from './archive-storage.ts';
import { attemptCounterTable } from './attempt-counter.ts';
import { clockTable } from './clock.ts';
import { grantSignerTable } from './grant-signer.ts';
import { idsTable } from './ids.ts';
import { type TestedTable, tested } from './mutant.ts';
import { passwordHasherTable } from './password-hasher.ts';
import { apiKeySecretsTable, sessionSecretsTable } from './secrets.ts';
import { stagingTable } from './staging.ts';

export const tables: readonly TestedTable[] = [
  tested(accountStoreTable),
  tested(apiKeySecretsTable),
  tested(apiKeyStoreTable),
  tested(archiveInspectorTable),
  tested(archiveStorageTable),
  tested(attemptCounterTable),
  tested(clockTable),
  tested(grantSignerTable),
  tested(idsTable),
  tested(passwordHasherTable),
  tested(sessionSecretsTable),
  tested(stagingTable),
];
