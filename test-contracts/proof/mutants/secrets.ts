import type { ApiKeySecrets, SessionSecrets } from '@pinfold/core';
import { NodeApiKeySecrets, NodeSessionSecrets } from '@pinfold/platform-node';
import { apiKeySecretsContract, type Subject, sessionSecretsContract } from '@pinfold/test-contracts';
import { derived } from './derive.ts';
import { type MutantTable, mutating, stateless } from './mutant.ts';

const keys = {
  mint: 'mint',
  read: 'mint read',
  same: 'same',
};

const tokens = {
  mint: 'mint',
  read: 'mint read',
};

const openKeys = stateless(() => new NodeApiKeySecrets());
const ofKeys = mutating<ApiKeySecrets, Subject<ApiKeySecrets>>(openKeys);

export const apiKeySecretsTable: MutantTable<ApiKeySecrets, Subject<ApiKeySecrets>> = {
  contract: apiKeySecretsContract,
  sound: () => openKeys,
  derived: derived(ofKeys, keys),
  stories: [],
};

const openTokens = stateless(() => new NodeSessionSecrets());
const ofTokens = mutating<SessionSecrets, Subject<SessionSecrets>>(openTokens);

export const sessionSecretsTable: MutantTable<SessionSecrets, Subject<SessionSecrets>> = {
  contract: sessionSecretsContract,
  sound: () => openTokens,
  derived: derived(ofTokens, tokens),
  stories: [],
};
