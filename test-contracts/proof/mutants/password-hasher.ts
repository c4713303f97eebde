import type { PasswordHasher } from '@pinfold/core';
import { ScryptPasswordHasher } from '@pinfold/platform-node';
import { passwordHasherContract, type Subject } from '@pinfold/test-contracts';
import { derived, type PortShape } from './derive.ts';
import { type MutantTable, mutating, stateless } from './mutant.ts';

const openSound = stateless(() => new ScryptPasswordHasher({ cost: { logN: 1, r: 1, p: 1 } }));

const mutant = mutating<PasswordHasher, Subject<PasswordHasher>>(openSound);

const shape: PortShape<PasswordHasher> = {
  code: 'store_corrupt',
  methods: {
    hash: {
      takes: { password: 'text', client: 'text', signal: 'signal' },
      answers: 'text',
      early: { value: 'hash' },
      clauses: 'aborted verify salt turns',
      untested: '*',
      tested: [
        'answers.{cut,lost,lowered,raised,stuck} caches hurries idles isDeaf shares',
        'takes.client.{lost,stuck} takes.password.{cut,latin,lost,raised,stuck,terminated}',
        'wrapsAborts',
      ],
    },
    verify: {
      takes: { password: 'text', hash: 'text', client: 'text', signal: 'signal' },
      answers: 'flag',
      clauses: 'verify foreign turns aborted',
      untested: [
        'caches isCurt listens takes.client takes.hash.{composed,latin,numeric,quoted}',
        'takes.password.{composed,numeric,quoted}',
      ],
      tested: 'takes.client.{lost,stuck} takes.password.terminated',
    },
  },
};

export const passwordHasherTable: MutantTable<PasswordHasher, Subject<PasswordHasher>> = {
  contract: passwordHasherContract,
  sound: () => openSound,
  mutants: derived(shape, mutant),
};
