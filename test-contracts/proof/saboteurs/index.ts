import { apiKeyStoreSabotage } from './api-key-store.ts';
import { attemptCounterSabotage } from './attempt-counter.ts';
import { roleStoreSabotage } from './role-store.ts';
import { type Proof, proofOf } from './sabotage.ts';

/** Every contract with its saboteurs. */
export const proofs: readonly Proof[] = [
  proofOf(roleStoreSabotage),
  proofOf(apiKeyStoreSabotage),
  proofOf(attemptCounterSabotage),
];
