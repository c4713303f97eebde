import type { AccountId, ApiKey, ApiKeyStore, Instant, Scope, Sha256 } from '@pinfold/core';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';
import { type Sabotages, turns, waysOf } from '../ways.ts';

const { asks, does, hurries } = waysOf<ApiKeyStore>();

const EXISTS = { kind: 'exists' } as const;
const CREATED = { kind: 'created' } as const;

const writes = (change: (key: ApiKey) => Partial<ApiKey>): Spoiling<ApiKeyStore> =>
  asks('create', (key, ...rest) => [{ ...key, ...change(key) }, ...rest]);

/** Takes a key for one that is there. */
const confuses = (alike: (key: ApiKey, other: ApiKey) => boolean): Spoiling<ApiKeyStore> =>
  does('create', async (store, key, ...rest) =>
    (await store.list(undefined)).some((other) => alike(key, other)) ? EXISTS : store.create(key, ...rest),
  );

/** Overlooks a key that is there, when it asks whether one is the first. */
const overlooks = (isSeen: (other: ApiKey, key: ApiKey) => boolean): Spoiling<ApiKeyStore> =>
  does('createFirst', async (store, key, events) =>
    (await store.list(undefined)).some((other) => isSeen(other, key))
      ? EXISTS
      : ((await store.create(key, events)) as typeof CREATED),
  );

export const sabotagesOfKeyFields: Sabotages<ApiKeyStore> = {
  'create trims the label': writes(({ label }) => ({ label: label.trim() })),
  'create composes the letters of a label': writes(({ label }) => ({ label: label.normalize('NFC') })),
  'create names a key without a label by its id': writes(({ label, id }) => ({ label: label || id })),
  'create keeps no character of a label beyond the first plane': writes(({ label }) => ({
    label: label.replace(/[\u{10000}-\u{10ffff}]/gu, '\ufffd'),
  })),
  'create joins spaces in a label': writes(({ label }) => ({ label: label.replace(/ +/g, ' ') })),
  'create sorts the scopes': writes(({ scopes }) => ({ scopes: [...scopes].sort() })),
  'create keeps no scopes as one empty scope': writes(({ scopes }) => ({
    scopes: scopes.join(',').split(',') as Scope[],
  })),
  'create leaves out what the widest scope includes': writes(({ scopes }) => ({
    scopes: scopes.includes('admin') ? scopes.filter((scope) => scope !== 'manage') : scopes,
  })),
  'create keeps three scopes at most': writes(({ scopes }) => ({ scopes: scopes.slice(0, 3) })),
  'create keeps half of the hash of a secret': writes(({ secretHash }) => ({
    secretHash: secretHash.slice(0, 32) as Sha256,
  })),
  'create keeps when a key was made in seconds': writes(({ createdAt }) => ({
    createdAt: (createdAt - (createdAt % 1000)) as Instant,
  })),
  'create keeps instants in 32 bits': writes(({ createdAt }) => ({
    createdAt: (createdAt % 2 ** 32) as Instant,
  })),
  'create makes a new key unused': writes(() => ({ lastUsedAt: null })),
  'create makes a new key good': writes(() => ({ revokedAt: null })),
  'create takes the first instant for no use': writes(({ lastUsedAt }) => ({
    lastUsedAt: lastUsedAt || null,
  })),
  'create keeps an account in 64 characters': writes(({ account }) => ({
    account: account.slice(0, 64) as AccountId,
  })),
  'create composes the letters of an account': writes(({ account }) => ({
    account: account.normalize('NFC') as AccountId,
  })),

  'create takes ids with a common beginning for one': confuses(
    ({ id }, other) => id.slice(0, 20) === other.id.slice(0, 20),
  ),
  'create takes ids that are one number for one': confuses(
    ({ id }, other) => Number(id) === Number(other.id),
  ),
  'create has one key of a label in an account': confuses(
    ({ account, label }, other) => account === other.account && label === other.label,
  ),
  'create has one key of an account and instant': confuses(
    ({ account, createdAt }, other) => account === other.account && createdAt === other.createdAt,
  ),
  'create looks first and writes later': does('create', async (store, key, ...rest) => {
    if ((await store.find(key.id)) !== undefined) return EXISTS;
    await turns(2);
    const answer = await store.create(key, ...rest);
    return answer.kind === 'exists' ? CREATED : answer;
  }),
  'create takes a key that is the same for a second try': does('create', async (store, key, ...rest) => {
    const answer = await store.create(key, ...rest);
    const isSame = JSON.stringify(await store.find(key.id)) === JSON.stringify(key);
    return answer.kind === 'exists' && isSame ? CREATED : answer;
  }),
  'create has ids for each account': does('create', async (store, key, ...rest) => {
    const answer = await store.create(key, ...rest);
    const there = await store.find(key.id);
    return answer.kind === 'exists' && there?.account !== key.account ? CREATED : answer;
  }),
  'create of the authority of an operator answers before it is done': does(
    'create',
    async (store, key, events, authority) => {
      if (authority !== 'operator') return store.create(key, events, authority);
      void turns(30)
        .then(() => store.create(key, events, authority))
        .catch(() => undefined);
      return CREATED;
    },
  ),

  'createFirst looks for keys that are good': overlooks(({ revokedAt }) => revokedAt === null),
  'createFirst looks for keys of the account': overlooks(({ account }, key) => account === key.account),
  'createFirst looks for keys made before': overlooks(({ createdAt }, key) => createdAt <= key.createdAt),
  'createFirst looks for keys that administer': overlooks(({ scopes }) => scopes.includes('admin')),
  'createFirst takes the same key for a second try': does('createFirst', async (store, key, events) => {
    const answer = await store.createFirst(key, events);
    const isSame = JSON.stringify(await store.find(key.id)) === JSON.stringify(key);
    return isSame ? CREATED : answer;
  }),
  'createFirst keeps no label': asks('createFirst', (key, events) => [{ ...key, label: '' }, events]),
  'createFirst answers before it is done': hurries('createFirst', CREATED),
};
