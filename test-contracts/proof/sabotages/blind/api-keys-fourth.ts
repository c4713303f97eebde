import { type ApiKey, type ApiKeyStore, DEFAULT_SCOPES } from '@pinfold/core';
import { KNOWN_SCOPES } from '@pinfold/core/adapter';
import { type Sabotages, turns, waysOf } from '../ways.ts';
import { fourthApiKeysFound } from './api-keys-fourth-found.ts';
import { rewriting } from './api-keys-fourth-rows.ts';
import { fourthApiKeysUsed } from './api-keys-fourth-used.ts';

const { asks, does } = waysOf<ApiKeyStore>();

const CREATED = { kind: 'created' } as const;
const EXISTS = { kind: 'exists' } as const;

/** A key is created as another than was given. */
const creates = (change: (key: ApiKey) => Partial<ApiKey>) =>
  asks('create', (key, ...rest) => [{ ...key, ...change(key) }, ...rest]);

/** An id is taken where another key is like it. */
const takes = (isLike: (other: ApiKey, key: ApiKey) => boolean) =>
  does('create', async (store, key, ...rest) =>
    (await store.list(undefined)).some((other) => isLike(other, key)) ? EXISTS : store.create(key, ...rest),
  );

/** A key takes the place of one there. */
const replaces = (isTo: (old: ApiKey, key: ApiKey, authority: string | undefined) => boolean) =>
  rewriting((store, rewrite) => ({
    create: async (key, events, authority) => {
      const old = await store.find(key.id);
      if (old === undefined || !isTo(old, key, authority)) return store.create(key, events, authority);
      rewrite(key.id, key);
      return CREATED;
    },
  }));

/** A key is the first unless another is seen. */
const firsts = (seesOne: (store: ApiKeyStore, key: ApiKey) => Promise<boolean>) =>
  does('createFirst', async (store, key, events) => {
    if (await seesOne(store, key)) return EXISTS;
    await store.create(key, events, 'operator');
    return CREATED;
  });

const created: Sabotages<ApiKeyStore> = {
  'a new key is refused where an id differs in its letters alone': takes(
    (other, key) => other.id.toLowerCase() === key.id.toLowerCase(),
  ),
  'a new key is refused where an id begins with the same sixteen characters': takes(
    (other, key) => other.id.slice(0, 16) === key.id.slice(0, 16),
  ),
  'a new key is refused where another has its secret': takes(
    (other, key) => other.secretHash === key.secretHash,
  ),
  'a new key replaces one that was revoked at the beginning of time': replaces(
    ({ revokedAt }) => revokedAt === 0,
  ),
  'a new key replaces one of the same id in another account': replaces(
    (old, key) => old.account !== key.account,
  ),
  'a new key of the operator replaces the one there': replaces(
    (_, __, authority) => authority === 'operator',
  ),
  'a key that comes too late leaves its secret': rewriting((store, rewrite) => ({
    create: async (key, ...rest) => {
      const answer = await store.create(key, ...rest);
      if (answer.kind === 'exists') rewrite(key.id, { secretHash: key.secretHash });
      return answer;
    },
  })),
  'a key is looked for, and then written over what came meanwhile': rewriting((store, rewrite) => ({
    create: async (key, ...rest) => {
      if ((await store.find(key.id)) !== undefined) return EXISTS;
      await turns(1);
      const answer = await store.create(key, ...rest);
      rewrite(key.id, key);
      return answer.kind === 'exists' ? CREATED : answer;
    },
  })),
  'keys created at once through a handle are bound to one statement': () => (store) => {
    let bound: ApiKey;
    return {
      create: async (key, ...rest) => {
        bound = key;
        await turns(1);
        return store.create(bound, ...rest);
      },
    };
  },
  'a new key is not revoked, though it was given so': creates(() => ({ revokedAt: null })),
  'scopes are kept as a set of bits': creates(({ scopes }) => ({
    scopes: KNOWN_SCOPES.filter((scope) => scopes.includes(scope)),
  })),
  'a key without scopes is given those of a new one': creates(({ scopes }) => ({
    scopes: scopes.length === 0 ? DEFAULT_SCOPES : scopes,
  })),
  'a label is kept in its composed form': creates(({ label }) => ({ label: label.normalize('NFC') })),
  'a label is cut at sixty-four characters': creates(({ label }) => ({ label: label.slice(0, 64) })),
  'a label loses what three bytes do not hold': creates(({ label }) => ({
    label: label.replace(/[\u{10000}-\u{10ffff}]/gu, '?'),
  })),
  'a label of digits is kept as a number': creates(({ label }) => ({
    label: /^\d+$/.test(label) ? String(Number(label)) : label,
  })),
  'two quotes in a label are one': creates(({ label }) => ({ label: label.replaceAll("''", "'") })),
  'a key is created in whole seconds': creates(({ createdAt }) => ({
    createdAt: (Math.floor(createdAt / 1_000) * 1_000) as typeof createdAt,
  })),
  'an account is cut at 255 code units': creates(({ account }) => ({
    account: account.slice(0, 255) as typeof account,
  })),
};

const first: Sabotages<ApiKeyStore> = {
  'a key is the first where all others are revoked': firsts(async (store) =>
    (await store.list(undefined)).some(({ revokedAt }) => revokedAt === null),
  ),
  'each account has a first key': firsts(
    async (store, { account }) => (await store.list(account)).length > 0,
  ),
  'several keys at once see that there is none': firsts(async (store) => {
    const { length } = await store.list(undefined);
    await turns(1);
    return length > 0;
  }),
  'a key is the first though others were created': () => {
    let wasFirst = false;
    return (store) => ({
      createFirst: async (key, events) => {
        if (wasFirst) return store.createFirst(key, events);
        wasFirst = true;
        const { kind } = await store.create(key, events, 'operator');
        return { kind: kind === 'created' ? kind : 'exists' };
      },
    });
  },
  'the first key is an administrator, whatever was given': asks('createFirst', (key, events) => [
    { ...key, scopes: ['admin'] },
    events,
  ]),
  'the first key is the first again when it is repeated': does('createFirst', async (store, key, events) =>
    JSON.stringify(await store.find(key.id)) === JSON.stringify(key)
      ? CREATED
      : store.createFirst(key, events),
  ),
  'a first key that comes too late is kept like any other': does(
    'createFirst',
    async (store, key, events) => {
      const answer = await store.createFirst(key, events);
      if (answer.kind === 'exists') await store.create(key, events, 'operator');
      return answer;
    },
  ),
  'a handle that saw no keys once has the first': () => (store) => {
    let isEmpty = false;
    return {
      list: async (account) => {
        const keys = await store.list(account);
        isEmpty ||= keys.length === 0 && account === undefined;
        return keys;
      },
      createFirst: async (key, events) => {
        if (!isEmpty) return store.createFirst(key, events);
        isEmpty = false;
        await store.create(key, events, 'operator');
        return CREATED;
      },
    };
  },
};

export const fourthApiKeySabotages: Sabotages<ApiKeyStore> = {
  ...created,
  ...first,
  ...fourthApiKeysFound,
  ...fourthApiKeysUsed,
};
