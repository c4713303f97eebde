import type { RoleStore } from '@pinfold/core';
import { checkRoleStoreSequences, roleStoreContract, type StoreSubject } from '@pinfold/test-contracts';
import { derived } from './derive.ts';
import type { MutantTable } from './mutant.ts';
import { roleStoreShape } from './role-store-shape.ts';
import { roleStores, stories } from './role-store-stories.ts';

const { sound, mutant, harness } = roleStores;

export const roleStoreTable: MutantTable<RoleStore, StoreSubject<RoleStore>> = {
  contract: roleStoreContract,
  sequences: {
    'role-store/sequences': { check: checkRoleStoreSequences, runs: 100 },
  },
  sound,
  mutants: [...harness(roleStoreShape.suite), ...derived(roleStoreShape, mutant), ...stories],
};
