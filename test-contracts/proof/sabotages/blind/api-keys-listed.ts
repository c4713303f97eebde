import type { ApiKey, ApiKeyStore } from '@pinfold/core';
import { type Sabotages, waysOf } from '../ways.ts';

const { does, answers, keeps, isCurtIn } = waysOf<ApiKeyStore>();

const byText = (one: string, other: string): number => (one < other ? -1 : 1);

/** Ways to be wrong in listing keys, written from the sentences of the port alone. */
export const listedApiKeySabotages: Sabotages<ApiKeyStore> = {
  'keys of an instant are listed as they came': () => {
    const came: string[] = [];
    return (store) => ({
      create: async (key, ...rest) => {
        came.push(key.id);
        return store.create(key, ...rest);
      },
      list: async (account) =>
        [...(await store.list(account))].sort(
          (one, other) => one.createdAt - other.createdAt || came.indexOf(one.id) - came.indexOf(other.id),
        ),
    });
  },
  'keys of an instant are listed by id, letters of both cases together': answers('list', (keys) =>
    [...keys].sort((one, other) => one.createdAt - other.createdAt || one.id.localeCompare(other.id, 'en')),
  ),
  'instants are ordered as texts': answers('list', (keys) =>
    [...keys].sort(
      (one, other) =>
        byText(String(one.createdAt), String(other.createdAt)) *
          (one.createdAt === other.createdAt ? 0 : 1) || byText(one.id, other.id),
    ),
  ),
  'the keys of an account are ordered by id alone': answers('list', (keys, account) =>
    account === undefined ? keys : [...keys].sort((one, other) => byText(one.id, other.id)),
  ),
  'all keys are listed account by account': answers('list', (keys, account) =>
    account === undefined ? [...keys].sort((one, other) => one.account.localeCompare(other.account)) : keys,
  ),
  'the keys of an account are those of all that begin like it': does('list', async (store, account) =>
    (await store.list(undefined)).filter((key) => key.account.startsWith(account ?? '')),
  ),
  'an account is a pattern, in which _ is any character': does('list', async (store, account) => {
    const source = account?.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('_', '.');
    const pattern = source === undefined ? undefined : new RegExp(`^${source}$`, 'u');
    return (await store.list(undefined)).filter((key) => pattern?.test(key.account) ?? true);
  }),
  'an account is listed with and without spaces at its end': does('list', async (store, account) =>
    (await store.list(undefined)).filter(
      (key) => account === undefined || key.account.trimEnd() === account.trimEnd(),
    ),
  ),
  'revoked keys are listed for all, not for their account': answers('list', (keys, account) =>
    account === undefined ? keys : keys.filter(({ revokedAt }) => revokedAt === null),
  ),
  'a list ends after a thousand': answers('list', (keys) => keys.slice(0, 1_000)),
  'a list has one key of each id in any letter case': answers('list', (keys) => [
    ...new Map(keys.map((key) => [key.id.toLowerCase(), key])).values(),
  ]),
  'a list is kept for who asks again': keeps('list'),
  'a list leaves the hash of the secret out': answers('list', (keys) =>
    keys.map(({ secretHash: _, ...key }) => key as ApiKey),
  ),
  'a list does not say why the database does not answer': isCurtIn('list'),
};
