import type { Ids, Token } from '@pinfold/core';
import { RandomIds } from '@pinfold/platform-node';
import { idsContract, type Subject } from '@pinfold/test-contracts';
import { derived } from './derive.ts';
import { type Mutant, type MutantTable, mutating, stateless } from './mutant.ts';

const openSound = stateless(() => new RandomIds());

const mutant = mutating<Ids, Subject<Ids>>(openSound);

const clauses = {
  role: 'role',
  archive: 'archive',
  token: 'token',
  event: 'event',
  nameToken: 'name-token',
};

const stories: readonly Mutant<Subject<Ids>>[] = [
  mutant('token', 'every node counts from one', () => () => {
    let count = 0;
    return {
      token: () => {
        count += 1;
        return String(count) as Token;
      },
    };
  }),
];

export const idsTable: MutantTable<Ids, Subject<Ids>> = {
  contract: idsContract,
  sound: () => openSound,
  derived: derived(mutant, clauses),
  stories,
};
