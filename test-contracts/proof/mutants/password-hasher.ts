import type { Password, PasswordHasher } from '@pinfold/core';
import { ScryptPasswordHasher } from '@pinfold/platform-node';
import { passwordHasherContract, type Subject } from '@pinfold/test-contracts';
import { derived } from './derive.ts';
import { type Mutant, type MutantTable, mutating, stateless } from './mutant.ts';

const openSound = stateless(() => new ScryptPasswordHasher({ cost: { logN: 1, r: 1, p: 1 } }));

const mutant = mutating<PasswordHasher, Subject<PasswordHasher>>(openSound);

const clauses = {
  hash: 'aborted verify salt turns',
  verify: 'verify foreign turns aborted',
};

/** bcrypt reads no more bytes than these. */
const cut = (password: Password): Password => Buffer.from(password).toString('latin1', 0, 72) as Password;

const stories: readonly Mutant<Subject<PasswordHasher>>[] = [
  mutant('verify', 'only the first 72 bytes count', () => (sound) => ({
    hash: (password, ...rest) => sound.hash(cut(password), ...rest),
    verify: (password, ...rest) => sound.verify(cut(password), ...rest),
  })),
  mutant('turns', 'the queue has no limit', () => {
    let last: Promise<unknown> = Promise.resolve();
    const inLine = <Result>(work: () => Promise<Result>): Promise<Result> => {
      const result = last.then(work);
      last = result.catch(() => {});
      return result;
    };
    return (sound) => ({
      verify: (...what) => inLine(() => sound.verify(...what)),
    });
  }),
];

export const passwordHasherTable: MutantTable<PasswordHasher, Subject<PasswordHasher>> = {
  contract: passwordHasherContract,
  sound: () => openSound,
  derived: derived(mutant, clauses),
  stories,
};
