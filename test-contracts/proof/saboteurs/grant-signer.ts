import type { Generation, GrantSigner } from '@pinfold/core';
import { HmacGrantSigner } from '@pinfold/platform-node';
import { type GrantSignerSubject, grantSignerContract } from '@pinfold/test-contracts';
import { saboteursOf } from './one-for-each.ts';
import type { Sabotage } from './sabotage.ts';

const PRESENT = 'the present secret of this service';
const NEW = 'the secret that will take its place';
const FOREIGN = 'the secret of another service there';

const soundSubject = async (): Promise<GrantSignerSubject> => ({
  port: new HmacGrantSigner({ secrets: [PRESENT] }),
  peer: async () => new HmacGrantSigner({ secrets: [PRESENT] }),
  successor: async () => new HmacGrantSigner({ secrets: [NEW, PRESENT] }),
  stranger: async () => new HmacGrantSigner({ secrets: [FOREIGN] }),
  dispose: async () => {},
});

const saboteur = saboteursOf<GrantSigner, GrantSignerSubject>(soundSubject);

const LONG = 'x'.repeat(450);
/** Marks where a saboteur's addition begins. */
const MARK = '.';

export const grantSignerSabotage: Sabotage<GrantSigner, GrantSignerSubject> = {
  contract: grantSignerContract,
  sound: () => soundSubject,
  saboteurs: [
    saboteur('grant-signer/verify', 'a generation is cut to 32 bits', () => (sound) => ({
      sign: (grant) => sound.sign({ ...grant, generation: (grant.generation % 2 ** 32) as Generation }),
    })),
    saboteur(
      'grant-signer/token',
      'a token is longer than a cookie and an address allow for',
      () => (sound) => ({
        sign: (grant) => LONG + sound.sign(grant),
        verify: (token) => (token.startsWith(LONG) ? sound.verify(token.slice(LONG.length)) : undefined),
      }),
      ['grant-signer/rotation'],
    ),
    saboteur('grant-signer/hidden', "the viewer's id is only encoded", () => (sound) => ({
      sign: (grant) => {
        const id = Buffer.from(grant.viewer?.id ?? '').toString('base64url');
        return id.length > 100 || id === '' ? sound.sign(grant) : sound.sign(grant) + MARK + id;
      },
      verify: (token) => {
        const [signed = '', id] = token.split(MARK);
        const grant = sound.verify(signed);
        return id === undefined || Buffer.from(id, 'base64url').toString() === grant?.viewer?.id
          ? grant
          : undefined;
      },
    })),
    saboteur('grant-signer/forged', 'padding behind a token is passed over', () => (sound) => ({
      verify: (token) => sound.verify(token.replace(/=+$/, '')),
    })),
    {
      breaks: 'grant-signer/rotation',
      how: 'earlier secrets are forgotten',
      open: () => async () => ({
        ...(await soundSubject()),
        successor: async () => new HmacGrantSigner({ secrets: [NEW] }),
      }),
    },
  ],
};
