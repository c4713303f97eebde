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
      hash: (password, signal) => sound.hash(cut(password), signal),
      verify: (password, hash, signal) => sound.verify(cut(password), hash, signal),
    })),
    saboteur('password-hasher/salt', 'a password has the same hash each time', () => {
      const known = new Map<Password, PasswordHash>();
      return (sound) => ({
        hash: async (password, signal) => {
          const hash = await sound.hash(password, signal);
          const first = known.get(password) ?? hash;
          known.set(password, first);
          return first;
        },
      });
    }),
    saboteur('password-hasher/aborted', 'signals are not looked at', () => (sound) => ({
      hash: (password) => sound.hash(password),
      verify: (password, hash) => sound.verify(password, hash),
    })),
    saboteur(
      'password-hasher/foreign',
      'a text that is no hash is taken for a wrong password',
      () => (sound) => ({
        verify: (password, hash, signal) =>
          sound.verify(password, hash, signal).catch((error: unknown) => {
            if (isFault(error)) return false;
            throw error;
          }),
      }),
    ),
  ],
};
