import { accountStoreTable } from './account-store.ts';
import { apiKeyStoreTable } from './api-key-store.ts';
import { archiveInspectorTable } from './archive-inspector.ts';
import { archiveStorageTable } from './archive-storage.ts';
import { attemptCounterTable } from './attempt-counter.ts';
import { clockTable } from './clock.ts';
import { grantSignerTable } from './grant-signer.ts';
import { historyStoreTable } from './history-store.ts';
import { idsTable } from './ids.ts';
import { importTable } from './import.ts';
import { type TestedTable, tested } from './mutant.ts';
import { nameStoreTable } from './name-store.ts';
import { pairingStoreTable } from './pairing-store.ts';
import { passwordHasherTable } from './password-hasher.ts';
import { roleStoreTable } from './role-store.ts';
import { apiKeySecretsTable, sessionSecretsTable } from './secrets.ts';
import { serviceModeTable } from './service-mode.ts';
import { sessionStoreTable } from './session-store.ts';
import { snapshotTable } from './snapshot.ts';
import { stagingTable } from './staging.ts';
import { takedownStoreTable } from './takedown-store.ts';
import { viewStoreTable } from './view-store.ts';

export const tables: readonly TestedTable[] = [
  tested(accountStoreTable),
  tested(apiKeySecretsTable),
  tested(apiKeyStoreTable),
  tested(archiveInspectorTable),
  tested(archiveStorageTable),
  tested(attemptCounterTable),
  tested(clockTable),
  tested(grantSignerTable),
  tested(historyStoreTable),
  tested(idsTable),
  tested(importTable),
  tested(nameStoreTable),
  tested(pairingStoreTable),
  tested(passwordHasherTable),
  tested(roleStoreTable),
  tested(serviceModeTable),
  tested(sessionSecretsTable),
  tested(sessionStoreTable),
  tested(snapshotTable),
  tested(stagingTable),
  tested(takedownStoreTable),
  tested(viewStoreTable),
];
