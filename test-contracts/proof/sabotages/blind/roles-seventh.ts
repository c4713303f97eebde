import type { RoleStore } from '@pinfold/core';
import type { Sabotages } from '../ways.ts';
import { seventhRoleCleanup } from './roles-seventh-cleanup.ts';
import { seventhRoleCommits } from './roles-seventh-commits.ts';
import { seventhRoleKeys } from './roles-seventh-keys.ts';
import { seventhRoleReads } from './roles-seventh-reads.ts';
import { filed, listing, nameOf, rated, withManifests } from './roles-seventh-ways.ts';

export const seventhRoleSabotages: Sabotages<RoleStore> = {
  ...seventhRoleKeys,
  ...seventhRoleCommits,
  ...seventhRoleReads,
  ...seventhRoleCleanup,
};

/** What the above are made from, with nothing wrong. */
export const soundSeventhRoles: Sabotages<RoleStore> = {
  'keys in files': filed(nameOf),
  'rates of its own': rated({}),
  'lists of its own': () => (store) => ({ list: listing(store, {}) }),
  'manifests of its own': withManifests(() => false),
};
