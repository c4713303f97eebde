import type { RoleStore } from '@pinfold/core';
import type { StoreSubject } from '@pinfold/test-contracts';
import { type MemorySaboteurs, memorySaboteurs } from '../memory-saboteurs.ts';
import type { Saboteur } from '../sabotage.ts';

export type RoleSaboteur = Saboteur<StoreSubject<RoleStore>>;

export const { opening, sound, saboteur }: MemorySaboteurs<RoleStore> = memorySaboteurs(({ roles }) => roles);
