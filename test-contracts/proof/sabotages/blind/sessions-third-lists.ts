import type { Instant, Session, SessionStore, Sha256 } from '@pinfold/core';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';
import { type Sabotages, turns, waysOf } from '../ways.ts';

const { answers, asks, does, listensIn, misnames } = waysOf<SessionStore>();

const IDLE = 30 * 60 * 1000;

const blurs = (alike: (own: string, asked: string) => boolean): Spoiling<SessionStore> =>
  does('list', async (store, query) =>
    (await store.list({ ...query, account: undefined, limit: Number.MAX_SAFE_INTEGER }))
      .filter(({ account }) => query.account === undefined || alike(account, query.account))
      .slice(0, query.limit),
  );

/** Cuts before it leaves out what was not asked for. */
const cutsBefore = (isLeftOut: (session: Session, now: Instant) => boolean): Spoiling<SessionStore> =>
  does('list', async (store, query) =>
    (await store.list({ ...query, now: 0 as Instant, account: undefined }))
      .filter((session) => !isLeftOut(session, query.now))
      .filter(({ account, endsAt }) => endsAt > query.now && (query.account ?? account) === account),
  );

export const sabotagesOfSessionLists: Sabotages<SessionStore> = {
  'find knows no session before its start': answers('find', (session, _, now) =>
    session !== undefined && session.startedAt > now ? undefined : session,
  ),
  'find ends a session that was idle': () => {
    const seen = new Map<Sha256, Instant>();
    return (store) => ({
      find: async (tokenHash, now, signal) => {
        const session = await store.find(tokenHash, now, signal);
        if (session === undefined) return undefined;
        const isIdle = now - (seen.get(tokenHash) ?? session.startedAt) > IDLE;
        if (!isIdle) seen.set(tokenHash, now);
        return isIdle ? undefined : session;
      },
    });
  },
  'find drops what has ended when it asks': does('find', async (store, tokenHash, now, signal) => {
    const session = await store.find(tokenHash, now, signal);
    if (session === undefined) await store.end(tokenHash, []);
    return session;
  }),
  'find knows a session by its id': does('find', async (store, tokenHash, now, signal) => {
    const found = await store.find(tokenHash, now, signal);
    if (found !== undefined) return found;
    const all = await store.list({ account: undefined, now, after: undefined, limit: 1000 });
    return all.find((session) => session.tokenHash.slice(0, 16) === tokenHash.slice(0, 16));
  }),
  'find keeps a session whatever the instant': () => (store) => {
    const kept = new Map<Sha256, Session>();
    return {
      find: async (tokenHash, now, signal) => {
        const session = kept.get(tokenHash) ?? (await store.find(tokenHash, now, signal));
        if (session !== undefined) kept.set(tokenHash, session);
        return session;
      },
      end: async (tokenHash, events) => {
        kept.delete(tokenHash);
        await store.end(tokenHash, events);
      },
    };
  },
  'find answers those who ask together in one order': () => (store) => {
    let asked: Sha256[] = [];
    return {
      find: async (tokenHash, now, signal) => {
        const place = asked.push(tokenHash) - 1;
        const together = asked;
        await turns(1);
        asked = [];
        const sorted = [...together].sort();
        return store.find(sorted[place] ?? tokenHash, now, signal);
      },
    };
  },
  'find asks for an abort once it is done': does('find', async (store, tokenHash, now, signal) => {
    const session = await store.find(tokenHash, now);
    if (signal?.aborted && session !== undefined) throw signal.reason;
    return session;
  }),
  'find goes on listening': listensIn('find'),

  'list begins at the hash it was to begin after': does('list', async (store, query) => {
    const { after, account, now } = query;
    const own = after === undefined ? undefined : await store.find(after as Sha256, now);
    const page = await store.list(query);
    const isOwn = own !== undefined && (account ?? own.account) === own.account;
    return isOwn ? [own, ...page].slice(0, query.limit) : page;
  }),
  'list looks for the hash it is to begin after': does('list', async (store, query) => {
    const all = await store.list({ ...query, after: undefined, limit: Number.MAX_SAFE_INTEGER });
    const place = all.findIndex(({ tokenHash }) => tokenHash === query.after);
    return all.slice(place + 1, place + 1 + query.limit);
  }),
  'list leaves out what begins with the text it is to begin after': answers('list', (page, { after }) =>
    after === undefined ? page : page.filter(({ tokenHash }) => !tokenHash.startsWith(after)),
  ),
  'list begins after a text in whole bytes': asks('list', (query) => [
    { ...query, after: query.after?.slice(0, query.after.length - (query.after.length % 2)) },
  ]),
  'list cuts before it leaves out accounts': cutsBefore(({ endsAt }, now) => endsAt <= now),
  'list cuts before it orders': does('list', async (store, query) => {
    const all = await store.list({ ...query, limit: Number.MAX_SAFE_INTEGER });
    return [...all]
      .sort((one, other) => one.startedAt - other.startedAt)
      .slice(0, query.limit)
      .sort((one, other) => (one.tokenHash < other.tokenHash ? -1 : 1));
  }),
  'list takes no limit for all': asks('list', (query) => [{ ...query, limit: query.limit || 1000 }]),
  'list gives one more to tell that there is more': asks('list', (query) => [
    { ...query, limit: query.limit + 1 },
  ]),
  'list orders digits as numbers': answers('list', (page) =>
    [...page].sort((one, other) => one.tokenHash.localeCompare(other.tokenHash, 'en', { numeric: true })),
  ),
  'list has what ends at the instant': asks('list', (query) => [{ ...query, now: query.now - 1 }]),
  'list leaves out who came without a key': answers('list', (page, { account }) =>
    account === undefined ? page.filter(({ apiKey }) => apiKey !== null) : page,
  ),
  'list does not know letter case in an account': blurs(
    (own, asked) => own.toLowerCase() === asked.toLowerCase(),
  ),
  'list takes an account for the beginning of one': blurs((own, asked) => own.startsWith(asked)),
  'list shows no names': answers('list', (page) =>
    page.map((session) => ({ ...session, displayName: null })),
  ),
  'list has a fault of another code': misnames('list', 'store_corrupt'),
};
