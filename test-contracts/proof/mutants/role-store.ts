import type { RoleStore } from '@pinfold/core';
import { checkRoleStoreSequences, roleStoreContract } from '@pinfold/test-contracts';
import { derived } from './derive.ts';
import type { StoreTable } from './over-memory.ts';
import { roleStoreShape } from './role-store-shape.ts';
import { roleStores, stories } from './role-store-stories.ts';

const { mutant, table } = roleStores;

export const roleStoreTable: StoreTable<RoleStore> = table(
  roleStoreContract,
  [...derived(roleStoreShape, mutant), ...stories],
  {
    'role-store/sequences': { check: checkRoleStoreSequences, runs: 100 },
  },
);
