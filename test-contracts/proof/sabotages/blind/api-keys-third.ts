import type { ApiKeyStore } from '@pinfold/core';
import type { Sabotages } from '../ways.ts';
import { sabotagesOfKeyFields } from './api-keys-third-fields.ts';
import { sabotagesOfKeyLists } from './api-keys-third-lists.ts';
import { sabotagesOfKeyUse } from './api-keys-third-use.ts';

/** Sixty ways, from the sentences of the port alone: a third round. */
export const thirdApiKeySabotages: Sabotages<ApiKeyStore> = {
  ...sabotagesOfKeyFields,
  ...sabotagesOfKeyLists,
  ...sabotagesOfKeyUse,
};
