import type { ApiKeySecrets } from '@pinfold/core';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { apiKeySecretsContract, type Subject } from '@pinfold/test-contracts';
import { derived, type PortShape } from './derive.ts';
import { type Mutant, type MutantTable, mutating } from './mutant.ts';

const openSound = async (): Promise<Subject<ApiKeySecrets>> => ({
  port: new NodeApiKeySecrets(),
  peer: async () => new NodeApiKeySecrets(),
  dispose: async () => {},
});

const mutant = mutating<ApiKeySecrets, Subject<ApiKeySecrets>>(openSound);

const shape: PortShape<ApiKeySecrets> = {
  suite: 'api-key-secrets',
  code: 'store_corrupt',
  methods: {
    mint: {
      takes: {},
      answers: { id: 'id', secretHash: 'hash', text: 'text' },
      clauses: 'mint',
      untested: 'answers.text.{composed,latin,numeric,quoted,trimmed}',
    },
    read: {
      takes: { text: 'text' },
      answers: { id: 'id', secretHash: 'hash' },
      clauses: 'mint read',
      untested: 'takes.text.{composed,latin,numeric,quoted}',
    },
    same: {
      takes: { one: 'hash', other: 'hash' },
      answers: 'flag',
      clauses: 'same',
    },
  },
};

const stories: readonly Mutant<Subject<ApiKeySecrets>>[] = [
  mutant('api-key-secrets/mint', 'a key is minted twice', () => {
    const minted: ReturnType<ApiKeySecrets['mint']>[] = [];
    return (sound) => ({
      mint: () => {
        const key = minted.length === 2 ? (minted[0] ?? sound.mint()) : sound.mint();
        minted.push(key);
        return key;
      },
    });
  }),
];

export const apiKeySecretsTable: MutantTable<ApiKeySecrets, Subject<ApiKeySecrets>> = {
  contract: apiKeySecretsContract,
  sound: () => openSound,
  mutants: [...derived(shape, mutant), ...stories],
};
