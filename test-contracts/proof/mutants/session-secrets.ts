import type { SessionSecrets } from '@pinfold/core';
import { NodeSessionSecrets } from '@pinfold/platform-node';
import { type Subject, sessionSecretsContract } from '@pinfold/test-contracts';
import { derived, type PortShape } from './derive.ts';
import { type Mutant, type MutantTable, mutating } from './mutant.ts';

const openSound = async (): Promise<Subject<SessionSecrets>> => ({
  port: new NodeSessionSecrets(),
  peer: async () => new NodeSessionSecrets(),
  dispose: async () => {},
});

const mutant = mutating<SessionSecrets, Subject<SessionSecrets>>(openSound);

const shape: PortShape<SessionSecrets> = {
  suite: 'session-secrets',
  code: 'store_corrupt',
  methods: {
    mint: {
      takes: {},
      answers: { text: 'text', hash: 'hash' },
      clauses: 'mint',
      untested: 'answers.text.{composed,latin,numeric,quoted,trimmed}',
    },
    read: {
      takes: { text: 'text' },
      answers: 'hash',
      clauses: 'mint read',
      untested: 'takes.text.{composed,latin,numeric,quoted}',
    },
  },
};

const stories: readonly Mutant<Subject<SessionSecrets>>[] = [
  mutant('session-secrets/mint', 'a token is minted twice', () => {
    const minted: ReturnType<SessionSecrets['mint']>[] = [];
    return (secrets) => ({
      mint: () => {
        const token = minted.length === 2 ? (minted[0] ?? secrets.mint()) : secrets.mint();
        minted.push(token);
        return token;
      },
    });
  }),
];

export const sessionSecretsTable: MutantTable<SessionSecrets, Subject<SessionSecrets>> = {
  contract: sessionSecretsContract,
  sound: () => openSound,
  mutants: [...derived(shape, mutant), ...stories],
};
