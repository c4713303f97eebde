import type { RoleStore } from '@pinfold/core';
import type { Sabotages } from '../ways.ts';
import { sixthRoleCleaning } from './roles-sixth-cleaning.ts';
import { sixthRoleCommits, sixthRoleReservations } from './roles-sixth-keys.ts';
import { sixthRoleFields, sixthRoleLists } from './roles-sixth-lists.ts';
import { rowed } from './roles-sixth-rows.ts';

/** Written from the port's sentences alone, by somebody who saw none of the checks. */
export const sixthRoleSabotages: Sabotages<RoleStore> = {
  ...sixthRoleReservations,
  ...sixthRoleCommits,
  ...sixthRoleFields,
  ...sixthRoleLists,
  ...sixthRoleCleaning,
};

/** What they are made from. */
export const soundSixthRoles: Sabotages<RoleStore> = { 'a store of rows': rowed(() => ({})) };
