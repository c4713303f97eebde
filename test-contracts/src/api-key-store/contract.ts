import type { ApiKeyStore } from '@pinfold/core';
import { type Contract, type StoreSubject, toClauses } from '../contract.ts';
import { anApiKey, anApiKeyId } from '../fixtures/keys.ts';
import { anEvent } from '../fixtures/roles.ts';
import { harnessClauses } from '../harness.ts';
import { boundClauses } from './bounds.ts';
import { apiKeyClauses } from './clauses.ts';
import { reachClauses } from './reach.ts';

/** What every {@link ApiKeyStore} promises. */
export const apiKeyStoreContract: Contract<ApiKeyStore, StoreSubject<ApiKeyStore>> = {
  port: 'ApiKeyStore',
  harness: harnessClauses('api-key-store', {
    write: async (port, n) => {
      await port.create(anApiKey(n), [anEvent()]);
    },
    sees: async (port, n) => (await port.find(anApiKeyId(n))) !== undefined,
  }),
  clauses: toClauses({ ...apiKeyClauses, ...boundClauses, ...reachClauses }),
};
