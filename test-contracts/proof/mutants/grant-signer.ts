import type { GrantSigner } from '@pinfold/core';
import { HmacGrantSigner } from '@pinfold/platform-node';
import { type GrantSignerSubject, grantSignerContract } from '@pinfold/test-contracts';
import { derived } from './derive.ts';
import { type Mutant, type MutantTable, mutating } from './mutant.ts';

const PRESENT = 'the present secret of this service';
const NEW = 'the secret that will take its place';
const FOREIGN = 'the secret of another service there';

const openSound = async (): Promise<GrantSignerSubject> => ({
  port: new HmacGrantSigner({ secrets: [PRESENT] }),
  peer: async () => new HmacGrantSigner({ secrets: [PRESENT] }),
  successor: async () => new HmacGrantSigner({ secrets: [NEW, PRESENT] }),
  ofAnotherKey: async () => new HmacGrantSigner({ secrets: [FOREIGN] }),
  dispose: async () => {},
});

const mutant = mutating<GrantSigner, GrantSignerSubject>(openSound);

const clauses = {
  sign: 'verify rotation hidden token',
  verify: 'verify forged',
};

const LONG = 'x'.repeat(450);
/** Separates the token from the addition. */
const MARK = '.';

const stories: readonly Mutant<GrantSignerSubject>[] = [
  mutant('token', 'a token is longer than a cookie and an address allow for', () => (sound) => ({
    sign: async (grant) => LONG + (await sound.sign(grant)),
    verify: (token) => (token.startsWith(LONG) ? sound.verify(token.slice(LONG.length)) : undefined),
  })),
  mutant('hidden', "the viewer's id is only encoded", () => (sound) => ({
    sign: async (grant) => {
      const id = Buffer.from(grant.viewer?.id ?? '').toString('base64url');
      return id.length > 100 || id === '' ? sound.sign(grant) : (await sound.sign(grant)) + MARK + id;
    },
    verify: async (token) => {
      const [signed = '', id] = token.split(MARK);
      const grant = await sound.verify(signed);
      return id === undefined || Buffer.from(id, 'base64url').toString() === grant?.viewer?.id
        ? grant
        : undefined;
    },
  })),
  {
    breaks: ['rotation'],
    how: 'earlier secrets are forgotten',
    open: () => async () => ({
      ...(await openSound()),
      successor: async () => new HmacGrantSigner({ secrets: [NEW] }),
    }),
  },
];

export const grantSignerTable: MutantTable<GrantSigner, GrantSignerSubject> = {
  contract: grantSignerContract,
  sound: () => openSound,
  derived: derived(mutant, clauses),
  stories,
};
