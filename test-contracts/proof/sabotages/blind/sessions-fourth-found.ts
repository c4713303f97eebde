import type { Instant, Session, SessionStore, Sha256 } from '@pinfold/core';
import { type Sabotages, waysOf } from '../ways.ts';

const { answers, asks, does } = waysOf<SessionStore>();

type Query = Parameters<SessionStore['list']>[0];

/** Every session there was, of all accounts. */
const all = (store: SessionStore, query: Partial<Query> = {}) =>
  store.list({
    account: undefined,
    now: Number.MIN_SAFE_INTEGER as Instant,
    after: undefined,
    limit: Number.MAX_SAFE_INTEGER,
    ...query,
  });

/** A page of sessions that were chosen otherwise. */
const lists = (choose: (query: Query, store: SessionStore) => Promise<readonly Session[]>) =>
  does('list', async (store, query) => (await choose(query, store)).slice(0, query.limit));

const found: Sabotages<SessionStore> = {
  'a session is unknown until its start': answers('find', (session, _, now) =>
    session !== undefined && session.startedAt > now ? undefined : session,
  ),
  'a session is found at its very end': asks('find', (hash, now, signal) => [hash, now - 1, signal]),
  'the id of a session is enough to find it': does(
    'find',
    async (store, hash, now, signal) =>
      (await store.find(hash, now, signal)) ??
      (await all(store, { now })).find(({ tokenHash }) => tokenHash.slice(0, 16) === hash.slice(0, 16)),
  ),
  'a handle remembers which hashes are unknown': () => (store) => {
    const unknown = new Set<Sha256>();
    return {
      find: async (hash, now, signal) => {
        const session = unknown.has(hash) ? undefined : await store.find(hash, now, signal);
        if (session === undefined) unknown.add(hash);
        return session;
      },
    };
  },
  'a session goes when it is looked for after its end': does('find', async (store, hash, now, signal) => {
    const session = await store.find(hash, now, signal);
    if (session === undefined) await store.end(hash, []);
    return session;
  }),
  'a session that was found before is given whatever its signal says': () => (store) => {
    const known = new Set<Sha256>();
    return {
      find: async (hash, now, signal) => {
        const session = await store.find(hash, now, known.has(hash) ? undefined : signal);
        if (session !== undefined) known.add(hash);
        return session;
      },
    };
  },
  'a look that finds a session goes on listening': does('find', async (store, hash, now, signal) => {
    const session = await store.find(hash, now, signal);
    if (session !== undefined) signal?.addEventListener('abort', () => undefined);
    return session;
  }),
  'looks at once for hashes that begin alike are one': () => (store) => {
    const pending = new Map<string, Promise<Session | undefined>>();
    return {
      find: (hash, now, signal) => {
        const start = hash.slice(0, 8);
        const look = pending.get(start) ?? store.find(hash, now, signal).finally(() => pending.delete(start));
        pending.set(start, look);
        return look;
      },
    };
  },
  'whoever looks beside one that is aborted is aborted, too': () => (store) => {
    const pending = new Map<string, Promise<Session | undefined>>();
    return {
      find: (hash, now, signal) => {
        if (signal?.aborted && pending.has(hash)) return store.find(hash, now, signal);
        const look = pending.get(hash) ?? store.find(hash, now, signal).finally(() => pending.delete(hash));
        pending.set(hash, look);
        return look;
      },
    };
  },
  'a session that was found ends in the hands of who has it': () => {
    const live = new Map<Sha256, Session>();
    return (store) => ({
      find: async (hash, now, signal) => {
        const session = await store.find(hash, now, signal);
        if (session === undefined) return undefined;
        const given = live.get(hash) ?? { ...session };
        live.set(hash, given);
        return given;
      },
      end: async (hash, events) => {
        await store.end(hash, events);
        const given = live.get(hash);
        live.delete(hash);
        if (given !== undefined) Object.assign(given, { endsAt: given.startedAt });
      },
    });
  },
};

const listed: Sabotages<SessionStore> = {
  'a page is cut before its account is looked at': does('list', async (store, query) =>
    (await all(store, { ...query, account: undefined })).filter(
      ({ account }) => query.account === undefined || account === query.account,
    ),
  ),
  'a page is cut before those that have ended are left out': does('list', async (store, { now, ...query }) =>
    (await all(store, query)).filter(({ endsAt }) => endsAt > now),
  ),
  'a session is listed at its very end': asks('list', (query) => [{ ...query, now: query.now - 1 }]),
  'hashes that begin with what a page is after are left out': lists(async (query, store) =>
    (await all(store, { ...query, limit: 10_000 })).filter(
      ({ tokenHash }) =>
        query.after === undefined || query.after === '' || !tokenHash.startsWith(query.after),
    ),
  ),
  'a page after a session that has gone begins anew': lists(async (query, store) => {
    const isThere = (await all(store)).some(({ tokenHash }) => tokenHash === query.after);
    return all(store, { ...query, after: isThere ? query.after : undefined });
  }),
  'an account gives those that begin with it': lists(async ({ account, ...query }, store) =>
    (await all(store, { ...query, limit: 10_000 })).filter(
      (session) => account === undefined || session.account.startsWith(account),
    ),
  ),
  'an account gives the sessions of its keys alone': lists(async (query, store) =>
    (await all(store, { ...query, limit: 10_000 })).filter(
      ({ apiKey }) => query.account === undefined || apiKey !== null,
    ),
  ),
  'hashes are in order of their first sixteen digits, and of their start': lists(async (query, store) =>
    [...(await all(store, { ...query, limit: 10_000 }))].sort(
      (one, other) =>
        id(one).localeCompare(id(other)) ||
        one.startedAt - other.startedAt ||
        (one.tokenHash < other.tokenHash ? -1 : 1),
    ),
  ),
  'a page is after the first sixteen digits of a hash': lists(async (query, store) =>
    (await all(store, { ...query, limit: 10_000 })).filter(
      (session) =>
        query.after === undefined || query.after.length < 16 || id(session) > query.after.slice(0, 16),
    ),
  ),
  'a page has at most a thousand sessions': asks('list', (query) => [
    { ...query, limit: Math.min(query.limit, 1_000) },
  ]),
};

const id = ({ tokenHash }: Session) => tokenHash.slice(0, 16);

export const fourthSessionsFound: Sabotages<SessionStore> = { ...found, ...listed };
