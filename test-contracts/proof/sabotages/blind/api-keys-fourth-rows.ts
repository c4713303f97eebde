import type { ApiKey, ApiKeyId, ApiKeyStore } from '@pinfold/core';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';

type Rewrite = (id: ApiKeyId, fields: Partial<ApiKey>) => void;

/** Rows that may be written over, for all peers. */
export const rewriting =
  (change: (store: ApiKeyStore, rewrite: Rewrite) => Partial<ApiKeyStore>): Spoiling<ApiKeyStore> =>
  () => {
    const rows = new Map<ApiKeyId, Partial<ApiKey>>();
    const now = (key: ApiKey): ApiKey => ({ ...key, ...rows.get(key.id) });
    const rewrite: Rewrite = (id, fields) => void rows.set(id, { ...rows.get(id), ...fields });
    return (sound) => {
      const store: ApiKeyStore = {
        ...sound,
        find: async (...inputs) => {
          const key = await sound.find(...inputs);
          return key && now(key);
        },
        list: async (account) =>
          (await sound.list(undefined)).map(now).filter((key) => [undefined, key.account].includes(account)),
      };
      return { ...store, ...change(store, rewrite) };
    };
  };
