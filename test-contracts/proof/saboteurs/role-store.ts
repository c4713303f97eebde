import type { RoleStore } from '@pinfold/core';
import { roleStoreContract, type StoreSubject } from '@pinfold/test-contracts';
import { oneForAll, strangers } from './memory-saboteurs.ts';
import { admissionSaboteurs } from './role-store/admission.ts';
import { cleanupSaboteurs, sweepSaboteurs } from './role-store/cleanup.ts';
import { habitSaboteurs } from './role-store/habits.ts';
import { keySaboteurs } from './role-store/keys.ts';
import { largeSaboteurs } from './role-store/large.ts';
import { listingSaboteurs } from './role-store/listing.ts';
import { commitSaboteurs, roleSaboteurs } from './role-store/roles.ts';
import { opening, type RoleSaboteur, sound } from './role-store/subjects.ts';
import { clausesBut, type Sabotage } from './sabotage.ts';

const harnessSaboteurs: readonly RoleSaboteur[] = [
  {
    breaks: 'role-store/harness-apart',
    how: 'all subjects are over the same data',
    open: opening(oneForAll),
    alsoFails: [
      'role-store/same-question',
      'role-store/commit-by-token',
      'role-store/reserve-rate',
      'role-store/list-state',
      'role-store/claim-ended',
      'role-store/claim-once',
      'role-store/settle-failed',
      'role-store/count-for-cleanup',
    ],
  },
  {
    breaks: 'role-store/harness-peer',
    how: 'a peer opens data of its own',
    open: opening(strangers),
    alsoFails: clausesBut(roleStoreContract, [
      'role-store/harness-apart',
      'role-store/reserve-free',
      'role-store/reserve-costless',
      'role-store/load-absent',
      'role-store/load-aborted',
      'role-store/manifest-aborted',
      'role-store/lets-go',
      'role-store/answers-stay',
      'role-store/unreachable',
      'role-store/save-race',
      'role-store/list-state',
      'role-store/claim-order',
    ]),
  },
];

export const roleStoreSabotage: Sabotage<RoleStore, StoreSubject<RoleStore>> = {
  contract: roleStoreContract,
  sound,
  saboteurs: [
    ...harnessSaboteurs,
    ...keySaboteurs,
    ...commitSaboteurs,
    ...admissionSaboteurs,
    ...roleSaboteurs,
    ...listingSaboteurs,
    ...cleanupSaboteurs,
    ...sweepSaboteurs,
    ...habitSaboteurs,
    ...largeSaboteurs,
  ],
};
