import {
  type AccountId,
  Fault,
  type Instant,
  type Session,
  type SessionStore,
  type Sha256,
} from '@pinfold/core';
import { type Sabotages, waysOf } from '../ways.ts';

const { asks, coversUp, does } = waysOf<SessionStore>();

const EVER = Number.MIN_SAFE_INTEGER as Instant;

const all = (store: SessionStore, account?: AccountId) =>
  store.list({ account, now: EVER, after: undefined, limit: Number.MAX_SAFE_INTEGER });

/** The end of a session ends others, too. */
const ends = (isAlike: (other: Session, session: Session) => boolean) =>
  does('end', async (store, hash, events) => {
    const session = await store.find(hash, EVER);
    for (const other of session === undefined ? [] : await all(store)) {
      if (isAlike(other, session as Session)) await store.end(other.tokenHash, []);
    }
    await store.end(hash, events);
  });

/** Links that were offered through any peer, and which are gone when this says so. */
const dropsLinks =
  <Name extends 'end' | 'refuse'>(
    name: Name,
    accountOf: (store: SessionStore, what: never) => Promise<unknown>,
  ) =>
  () => {
    const accounts = new Map<Sha256, AccountId>();
    const gone = new Set<Sha256>();
    return (store: SessionStore): Partial<SessionStore> => ({
      offer: async (link, events) => {
        await store.offer(link, events);
        accounts.set(link.tokenHash, link.account);
      },
      redeem: async (request, events) =>
        store.redeem(gone.has(request.link) ? { ...request, link: '' as Sha256 } : request, events),
      [name]: async (what: never, how: never) => {
        const account = await accountOf(store, what);
        await store[name](what, how);
        for (const [hash, of] of accounts) if (of === account) gone.add(hash);
      },
    });
  };

const ended: Sabotages<SessionStore> = {
  'the end of a session ends all of its key': ends(
    ({ apiKey }, session) => apiKey !== null && apiKey === session.apiKey,
  ),
  'the end of a session ends those of the same id': ends(
    ({ tokenHash }, session) => tokenHash.slice(0, 16) === session.tokenHash.slice(0, 16),
  ),
  'the end of a session drops the links of its account': dropsLinks(
    'end',
    async (store, hash) => (await store.find(hash, EVER))?.account,
  ),
  'the end of what never was is a fault': does('end', async (store, hash, events) => {
    if ((await store.find(hash, EVER)) === undefined)
      throw new Fault('store_corrupt', 'there is no such row');
    await store.end(hash, events);
  }),
  'what was ended before it began does not begin': () => {
    const over = new Set<Sha256>();
    return (store) => ({
      end: async (hash, events) => {
        await store.end(hash, events);
        over.add(hash);
      },
      begin: async (session, events) => {
        await store.begin(session, events);
        if (over.has(session.tokenHash)) await store.end(session.tokenHash, []);
      },
    });
  },
  'a session that was ended is kept as one that was over at its start': does(
    'end',
    async (store, hash, events) => {
      const session = await store.find(hash, EVER);
      await store.end(hash, events);
      if (session !== undefined) await store.begin({ ...session, endsAt: session.startedAt }, []);
    },
  ),
};

const refused: Sabotages<SessionStore> = {
  'a refused sign-in drops the links of its account': dropsLinks(
    'refuse',
    async (_, event: { readonly account: AccountId }) => event.account,
  ),
  'a refused sign-in of an account without sessions is a fault': does(
    'refuse',
    async (store, event, unlessSince) => {
      const sessions = await all(store, event.account);
      if (sessions.length === 0) throw new Fault('store_corrupt', 'there is no such account');
      await store.refuse(event, unlessSince);
    },
  ),
  'faults of a refused sign-in are covered up': coversUp('refuse', undefined),
};

const purged: Sabotages<SessionStore> = {
  'a purge drops sessions and links up to the limit each': does('purge', async (store, endedBy, limit) => {
    const sessions = (await all(store)).filter(({ endsAt }) => endsAt <= endedBy).slice(0, limit);
    for (const { tokenHash } of sessions) await store.end(tokenHash, []);
    return sessions.length + (await store.purge(endedBy, limit));
  }),
  'a purge counts sessions alone': does('purge', async (store, endedBy, limit) => {
    const before = (await all(store)).length;
    await store.purge(endedBy, limit);
    return before - (await all(store)).length;
  }),
  'a purge looks for links only where a session has ended': does('purge', async (store, endedBy, limit) =>
    (await all(store)).some(({ endsAt }) => endsAt <= endedBy) ? store.purge(endedBy, limit) : 0,
  ),
  'a purge drops at most a thousand': asks('purge', (endedBy, limit) => [endedBy, Math.min(limit, 1_000)]),
  'a purge drops what has ended of as many as the limit': does('purge', async (store, endedBy, limit) => {
    const rows = (await all(store)).slice(0, limit);
    if (rows.length < limit) return store.purge(endedBy, limit);
    const over = rows.filter(({ endsAt }) => endsAt <= endedBy);
    for (const { tokenHash } of over) await store.end(tokenHash, []);
    return over.length;
  }),
  'a purge drops what ends in the same second': asks('purge', (endedBy, limit) => [
    Math.floor(endedBy / 1_000) * 1_000 + 999,
    limit,
  ]),
};

export const fourthSessionsEnded: Sabotages<SessionStore> = { ...ended, ...refused, ...purged };
