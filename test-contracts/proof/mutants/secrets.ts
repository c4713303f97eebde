import type { ApiKeySecrets, SessionSecrets } from '@pinfold/core';
import { NodeApiKeySecrets, NodeSessionSecrets } from '@pinfold/platform-node';
import { apiKeySecretsContract, type Subject, sessionSecretsContract } from '@pinfold/test-contracts';
import { derived, type PortShape } from './derive.ts';
import { type MutantTable, mutating, stateless } from './mutant.ts';

const keys: PortShape<ApiKeySecrets> = {
  isSynchronous: true,
  methods: {
    mint: {
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

const tokens: PortShape<SessionSecrets> = {
  isSynchronous: true,
  methods: {
    mint: {
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

const openKeys = stateless(() => new NodeApiKeySecrets());
const ofKeys = mutating<ApiKeySecrets, Subject<ApiKeySecrets>>(openKeys);

export const apiKeySecretsTable: MutantTable<ApiKeySecrets, Subject<ApiKeySecrets>> = {
  contract: apiKeySecretsContract,
  sound: () => openKeys,
  mutants: derived(keys, ofKeys),
};

const openTokens = stateless(() => new NodeSessionSecrets());
const ofTokens = mutating<SessionSecrets, Subject<SessionSecrets>>(openTokens);

export const sessionSecretsTable: MutantTable<SessionSecrets, Subject<SessionSecrets>> = {
  contract: sessionSecretsContract,
  sound: () => openTokens,
  mutants: derived(tokens, ofTokens),
};
