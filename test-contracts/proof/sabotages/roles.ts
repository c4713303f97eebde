import type { RoleStore } from '@pinfold/core';
import { cleaningSabotages } from './roles-cleaning.ts';
import { keySabotages } from './roles-keys.ts';
import { listSabotages } from './roles-lists.ts';
import type { Sabotages } from './ways.ts';

/** What a store of roles may do wrong. */
export const roleSabotages: Sabotages<RoleStore> = {
  ...keySabotages,
  ...listSabotages,
  ...cleaningSabotages,
};
