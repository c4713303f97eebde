import type { ApiKeyStore, SessionStore } from '@pinfold/core';
import type { Sabotages } from '../ways.ts';
import { foundApiKeySabotages } from './api-keys-found.ts';
import { keptApiKeySabotages } from './api-keys-kept.ts';
import { listedApiKeySabotages } from './api-keys-listed.ts';
import { usedApiKeySabotages } from './api-keys-used.ts';
import { begunSessionSabotages } from './sessions-begun.ts';
import { foundSessionSabotages } from './sessions-found.ts';
import { purgedSessionSabotages } from './sessions-purged.ts';

/** Sabotages that were written from the sentences of the port alone, by someone who had not read the suite. */
export const blindApiKeySabotages: Sabotages<ApiKeyStore> = {
  ...keptApiKeySabotages,
  ...foundApiKeySabotages,
  ...listedApiKeySabotages,
  ...usedApiKeySabotages,
};

export const blindSessionSabotages: Sabotages<SessionStore> = {
  ...begunSessionSabotages,
  ...foundSessionSabotages,
  ...purgedSessionSabotages,
};
