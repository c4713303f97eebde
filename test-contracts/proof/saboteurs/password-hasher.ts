import { isFault, type Password, type PasswordHash, type PasswordHasher } from '@pinfold/core';
import { ScryptPasswordHasher } from '@pinfold/platform-node';
import { passwordHasherContract, type Subject } from '@pinfold/test-contracts';
import { saboteursOf } from './one-for-each.ts';
import type { Sabotage } from './sabotage.ts';

const open = (): PasswordHasher => new ScryptPasswordHasher({ cost: { logN: 1, r: 1, p: 1 } });

const soundSubject = async (): Promise<Subject<PasswordHasher>> => ({
  port: open(),
  peer: async () => open(),
  dispose: async () => {},
});

const saboteur = saboteursOf<PasswordHasher, Subject<PasswordHasher>>(soundSubject);

/** As bcrypt does. */
const cut = (password: Password): Password => Buffer.from(password).toString('latin1', 0, 72) as Password;

export const passwordHasherSabotage: Sabotage<PasswordHasher, Subject<PasswordHasher>> = {
  contract: passwordHasherContract,
  sound: () => soundSubject,
  saboteurs: [
    saboteur('password-hasher/verify', 'only the first 72 bytes count', () => (sound) => ({
      hash: (password, ...rest) => sound.hash(cut(password), ...rest),
      verify: (password, ...rest) => sound.verify(cut(password), ...rest),
    })),
    saboteur('password-hasher/salt', 'a password has the same hash each time', () => {
      const known = new Map<Password, PasswordHash>();
      return (sound) => ({
        hash: async (password, ...rest) => {
          const hash = await sound.hash(password, ...rest);
          const first = known.get(password) ?? hash;
          known.set(password, first);
          return first;
        },
      });
    }),
    saboteur('password-hasher/aborted', 'signals are not looked at', () => (sound) => ({
      hash: (password, client) => sound.hash(password, client),
      verify: (password, hash, client) => sound.verify(password, hash, client),
    })),
    saboteur(
      'password-hasher/foreign',
      'a text that is no hash is taken for a wrong password',
      () => (sound) => ({
        verify: (...what) =>
          sound.verify(...what).catch((error: unknown) => {
            if (isFault(error) && error.code === 'store_corrupt') return false;
            throw error;
          }),
      }),
    ),
    saboteur('password-hasher/turns', 'first come, first served, whoever comes', () => (sound) => ({
      hash: (password, _, signal) => sound.hash(password, 'anybody', signal),
      verify: (password, hash, _, signal) => sound.verify(password, hash, 'anybody', signal),
    })),
    saboteur('password-hasher/turns', 'any number wait, in one line', () => {
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
  ],
};
