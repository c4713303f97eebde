import { accountStoreSabotage } from './account-store.ts';
import { apiKeySecretsSabotage } from './api-key-secrets.ts';
import { apiKeyStoreSabotage } from './api-key-store.ts';
import { archiveInspectorSabotage } from './archive-inspector.ts';
import { archiveStorageSabotage } from './archive-storage.ts';
import { attemptCounterSabotage } from './attempt-counter.ts';
import { clockSabotage } from './clock.ts';
import { grantSignerSabotage } from './grant-signer.ts';
import { historyStoreSabotage } from './history-store.ts';
import { idsSabotage } from './ids.ts';
import { importSabotage, snapshotSabotage } from './moving.ts';
import { pairingStoreSabotage } from './pairing-store.ts';
import { passwordHasherSabotage } from './password-hasher.ts';
import { roleStoreSabotage } from './role-store.ts';
import { type Proof, proofOf } from './sabotage.ts';
import { serviceModeSabotage } from './service-mode.ts';
import { sessionSecretsSabotage } from './session-secrets.ts';
import { sessionStoreSabotage } from './session-store.ts';
import { stagingSabotage } from './staging.ts';
import { takedownStoreSabotage } from './takedown-store.ts';
import { viewStoreSabotage } from './view-store.ts';

/** Every contract with its saboteurs. */
export const proofs: readonly Proof[] = [
  proofOf(roleStoreSabotage),
  proofOf(accountStoreSabotage),
  proofOf(apiKeyStoreSabotage),
  proofOf(attemptCounterSabotage),
  proofOf(archiveInspectorSabotage),
  proofOf(archiveStorageSabotage),
  proofOf(stagingSabotage),
  proofOf(sessionStoreSabotage),
  proofOf(serviceModeSabotage),
  proofOf(historyStoreSabotage),
  proofOf(takedownStoreSabotage),
  proofOf(viewStoreSabotage),
  proofOf(snapshotSabotage),
  proofOf(importSabotage),
  proofOf(pairingStoreSabotage),
  proofOf(passwordHasherSabotage),
  proofOf(grantSignerSabotage),
  proofOf(apiKeySecretsSabotage),
  proofOf(sessionSecretsSabotage),
  proofOf(clockSabotage),
  proofOf(idsSabotage),
];
