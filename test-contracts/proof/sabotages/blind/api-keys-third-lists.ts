import type { ApiKey, ApiKeyStore, Sha256 } from '@pinfold/core';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';
import { type Sabotages, waysOf } from '../ways.ts';

const { answers, does, keeps, coversUp } = waysOf<ApiKeyStore>();

const orders = (compare: (one: ApiKey, other: ApiKey) => number): Spoiling<ApiKeyStore> =>
  answers('list', (keys) => [...keys].sort(compare));

/** Gives the keys of whatever account looks alike. */
const blurs = (alike: (own: string, asked: string) => boolean): Spoiling<ApiKeyStore> =>
  does('list', async (store, account) =>
    (await store.list(undefined)).filter((key) => account === undefined || alike(key.account, account)),
  );

const PAGE = 100;

/** Reads in pages, each behind the last key of the one before. */
const turnsPages = (isBehind: (key: ApiKey, last: ApiKey) => boolean): Spoiling<ApiKeyStore> =>
  answers('list', (keys) => {
    const read = keys.slice(0, PAGE);
    for (;;) {
      const last = read.at(-1);
      const page = last === undefined ? [] : keys.filter((key) => isBehind(key, last)).slice(0, PAGE);
      if (page.length === 0) return read;
      read.push(...page);
    }
  });

const withoutMarks = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '');

export const sabotagesOfKeyLists: Sabotages<ApiKeyStore> = {
  'list orders ids of one instant as people do': orders(
    (one, other) => one.createdAt - other.createdAt || one.id.localeCompare(other.id),
  ),
  'list orders instants as texts': orders((one, other) =>
    `${one.createdAt} ${one.id}` < `${other.createdAt} ${other.id}` ? -1 : 1,
  ),
  'list orders by account first': orders((one, other) =>
    one.account === other.account ? 0 : one.account < other.account ? -1 : 1,
  ),
  'list orders by seconds': orders(
    (one, other) =>
      Math.floor(one.createdAt / 1000) - Math.floor(other.createdAt / 1000) || (one.id < other.id ? -1 : 1),
  ),
  'list has revoked keys last': orders(
    (one, other) => Number(one.revokedAt !== null) - Number(other.revokedAt !== null),
  ),
  'list of all leaves out revoked keys': answers('list', (keys, account) =>
    account === undefined ? keys.filter(({ revokedAt }) => revokedAt === null) : keys,
  ),
  'list of an account leaves out keys that were never used': answers('list', (keys, account) =>
    account === undefined ? keys : keys.filter(({ lastUsedAt }) => lastUsedAt !== null),
  ),
  'list takes an account for a pattern': blurs((own, asked) =>
    new RegExp(`^${asked.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('_', '.')}$`, 'u').test(own),
  ),
  'list does not know accents in an account': blurs(
    (own, asked) => withoutMarks(own) === withoutMarks(asked),
  ),
  'list does not know spaces at the end of an account': blurs(
    (own, asked) => own.trimEnd() === asked.trimEnd(),
  ),
  'list shows no hash of a secret': answers('list', (keys) =>
    keys.map((key) => ({ ...key, secretHash: '' as Sha256 })),
  ),
  'list pages by the instant alone': turnsPages((key, last) => key.createdAt > last.createdAt),
  'list pages by instant and id, each for itself': turnsPages(
    (key, last) => key.createdAt >= last.createdAt && key.id > last.id,
  ),
  'list gives one array again and again': () => (store) => {
    const kept: ApiKey[] = [];
    return {
      list: async (account) => {
        const keys = await store.list(account);
        kept.splice(0, kept.length, ...keys);
        return kept;
      },
    };
  },
  'list keeps its answers': keeps('list'),
  'list is empty where nothing answers': coversUp('list', []),
};
