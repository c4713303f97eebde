import type { Ids } from '@pinfold/core';
import { RandomIds } from '@pinfold/platform-node';
import { idsContract, type Subject } from '@pinfold/test-contracts';
import { derived, type PortShape } from './derive.ts';
import { type MutantTable, mutating, stateless } from './mutant.ts';

const openSound = stateless(() => new RandomIds());

const mutant = mutating<Ids, Subject<Ids>>(openSound);

const shape: PortShape<Ids> = {
  isSynchronous: true,
  methods: {
    role: {
      answers: 'id',
      clauses: 'role',
      untested: 'answers.lowered',
    },
    archive: {
      takes: { createdAt: 'instant' },
      answers: 'id',
      clauses: 'archive',
      untested: 'answers.lowered',
    },
    token: {
      answers: 'id',
      clauses: 'token',
      untested: '*',
      tested: 'answers.{lost,stuck}',
    },
    event: {
      answers: 'id',
      clauses: 'event',
      untested: 'answers.lowered',
    },
    nameToken: {
      answers: 'id',
      clauses: 'name-token',
    },
    digest: {
      takes: { text: 'text' },
      answers: 'id',
      clauses: 'digest',
      untested: 'answers.lowered',
    },
  },
};

export const idsTable: MutantTable<Ids, Subject<Ids>> = {
  contract: idsContract,
  sound: () => openSound,
  mutants: derived(shape, mutant),
};
