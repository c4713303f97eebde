import type { ApiKeySecrets, Sha256 } from '@pinfold/core';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { apiKeySecretsContract, type Subject } from '@pinfold/test-contracts';
import { saboteursOf } from './one-for-each.ts';
import type { Sabotage } from './sabotage.ts';

const soundSubject = async (): Promise<Subject<ApiKeySecrets>> => ({
  port: new NodeApiKeySecrets(),
  peer: async () => new NodeApiKeySecrets(),
  dispose: async () => {},
});

const saboteur = saboteursOf<ApiKeySecrets, Subject<ApiKeySecrets>>(soundSubject);

const start = (hash: Sha256): Sha256 => hash.slice(0, 16) as Sha256;

export const apiKeySecretsSabotage: Sabotage<ApiKeySecrets, Subject<ApiKeySecrets>> = {
  contract: apiKeySecretsContract,
  sound: () => soundSubject,
  saboteurs: [
    saboteur('api-key-secrets/mint', 'a key is minted twice', () => {
      const minted: ReturnType<ApiKeySecrets['mint']>[] = [];
      return (sound) => ({
        mint: () => {
          const key = minted.length === 2 ? (minted[0] ?? sound.mint()) : sound.mint();
          minted.push(key);
          return key;
        },
      });
    }),
    saboteur('api-key-secrets/read', 'white space around a key is passed over', () => (sound) => ({
      read: (text) => sound.read(text.trim()),
    })),
    saboteur('api-key-secrets/same', 'only the first 16 digits are compared', () => (sound) => ({
      same: (one, other) => sound.same(start(one), start(other)),
    })),
  ],
};
