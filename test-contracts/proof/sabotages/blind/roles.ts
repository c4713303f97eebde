import type { RoleStore } from '@pinfold/core';
import type { Sabotages } from '../ways.ts';
import { blindCleaningSabotages } from './roles-cleaning.ts';
import { blindCommitSabotages } from './roles-commits.ts';
import { blindKeySabotages } from './roles-keys.ts';
import { blindListSabotages } from './roles-lists.ts';

/** Written from the port's sentences alone, before the clauses that judge them were seen. */
export const blindRoleSabotages: Sabotages<RoleStore> = {
  ...blindKeySabotages,
  ...blindCommitSabotages,
  ...blindListSabotages,
  ...blindCleaningSabotages,
};
