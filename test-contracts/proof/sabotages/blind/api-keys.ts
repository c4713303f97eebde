import type { ApiKeyStore } from '@pinfold/core';
import type { Sabotages } from '../ways.ts';
import { foundApiKeySabotages } from './api-keys-found.ts';
import { keptApiKeySabotages } from './api-keys-kept.ts';
import { listedApiKeySabotages } from './api-keys-listed.ts';
import { usedApiKeySabotages } from './api-keys-used.ts';

/** Written from the sentences of the port alone, by someone who had not read the suite. */
export const blindApiKeySabotages: Sabotages<ApiKeyStore> = {
  ...keptApiKeySabotages,
  ...foundApiKeySabotages,
  ...listedApiKeySabotages,
  ...usedApiKeySabotages,
};
