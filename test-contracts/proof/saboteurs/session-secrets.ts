import type { SessionSecrets } from '@pinfold/core';
import { NodeSessionSecrets } from '@pinfold/platform-node';
import { type Subject, sessionSecretsContract } from '@pinfold/test-contracts';
import { saboteursOf } from './one-for-each.ts';
import type { Sabotage } from './sabotage.ts';

const soundSubject = async (): Promise<Subject<SessionSecrets>> => ({
  port: new NodeSessionSecrets(),
  peer: async () => new NodeSessionSecrets(),
  dispose: async () => {},
});

const saboteur = saboteursOf<SessionSecrets, Subject<SessionSecrets>>(soundSubject);

export const sessionSecretsSabotage: Sabotage<SessionSecrets, Subject<SessionSecrets>> = {
  contract: sessionSecretsContract,
  sound: () => soundSubject,
  saboteurs: [
    saboteur('session-secrets/mint', 'a token is minted twice', () => {
      const minted: ReturnType<SessionSecrets['mint']>[] = [];
      return (secrets) => ({
        mint: () => {
          const token = minted.length === 2 ? (minted[0] ?? secrets.mint()) : secrets.mint();
          minted.push(token);
          return token;
        },
      });
    }),
    saboteur('session-secrets/read', 'white space around a token is passed over', () => (secrets) => ({
      read: (text) => secrets.read(text.trim()),
    })),
  ],
};
