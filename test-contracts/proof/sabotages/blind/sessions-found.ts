import type { Instant, Session, SessionQuery, SessionStore, Sha256 } from '@pinfold/core';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';
import { type Sabotages, turns, waysOf } from '../ways.ts';

const { does, answers, asks, keeps, hurries, coversUp, isCurtIn, misnames, listensIn, wrapsAbortsIn } =
  waysOf<SessionStore>();

const MINUTE = 60_000;
const MANY = 100_000;

/** All sessions that have not ended at an instant, of every account. */
const allAt = (store: SessionStore, now: Instant): Promise<readonly Session[]> =>
  store.list({ account: undefined, now, after: undefined, limit: MANY });

/** Lists what is left of all sessions in an order of its own. */
const listing = (
  choose: (all: readonly Session[], query: SessionQuery) => readonly Session[],
): Spoiling<SessionStore> =>
  does('list', async (store, query) => choose(await allAt(store, query.now), query));

const isOf =
  ({ account }: SessionQuery): ((session: Session) => boolean) =>
  (session) =>
    account === undefined || session.account === account;
const isAfter =
  ({ after = '' }: SessionQuery): ((session: Session) => boolean) =>
  ({ tokenHash }) =>
    tokenHash > after;

/** Ways to be wrong about sessions that are there, written from the sentences of the port alone. */
export const foundSessionSabotages: Sabotages<SessionStore> = {
  'a session is found at the very instant of its end': asks('find', (hash, now, signal) => [
    hash,
    now - 1,
    signal,
  ]),
  'a session is found half a minute longer': asks('find', (hash, now, signal) => [
    hash,
    now - MINUTE / 2,
    signal,
  ]),
  'a session is not found before it starts': answers('find', (session, _, now) =>
    session !== undefined && session.startedAt > now ? undefined : session,
  ),
  'whether a session has ended is asked of the clock of this machine': asks('find', (hash, _, signal) => [
    hash,
    Date.now(),
    signal,
  ]),
  'a look at a session prolongs it': does('find', async (store, hash, now, signal) => {
    const session = await store.find(hash, now, signal);
    if (session === undefined) return undefined;
    const endsAt = Math.max(session.endsAt, now + 30 * MINUTE) as Instant;
    await store.begin({ ...session, endsAt }, []);
    return session;
  }),
  'a found session is kept for who asks again': () => (store) => {
    const kept = new Map<string, Session>();
    return {
      find: async (hash, now, signal) => {
        const session = kept.get(hash) ?? (await store.find(hash, now, signal));
        if (session !== undefined) kept.set(hash, session);
        return session !== undefined && session.endsAt > now ? session : undefined;
      },
      end: async (hash, events) => {
        kept.delete(hash);
        await store.end(hash, events);
      },
    };
  },
  'a session that was not there is not there later': () => (store) => {
    const absent = new Set<string>();
    return {
      find: async (hash, now, signal) => {
        const session = absent.has(hash) ? undefined : await store.find(hash, now, signal);
        if (session === undefined) absent.add(hash);
        return session;
      },
    };
  },
  'a session is found by the half of its hash': does('find', async (store, hash, now, signal) => {
    const session = await store.find(hash, now, signal);
    return (
      session ?? (await allAt(store, now)).find((other) => other.tokenHash.startsWith(hash.slice(0, 32)))
    );
  }),
  'a hash in upper case finds the session': does('find', async (store, hash, now, signal) =>
    store.find(hash.toLowerCase() as Sha256, now, signal),
  ),
  'an unknown session is null': answers('find', (session) => session ?? (null as never)),
  'an aborted look is a fault': wrapsAbortsIn('find', 'store_unavailable'),
  'an aborted look is answered where nothing is there': does('find', async (store, hash, now, signal) => {
    const session = await store.find(hash, now);
    if (session !== undefined) signal?.throwIfAborted();
    return session;
  }),
  'an aborted look rejects with an error of its own': does('find', async (store, hash, now, signal) => {
    if (signal?.aborted) throw new DOMException('aborted', 'AbortError');
    return store.find(hash, now, signal);
  }),
  'a look goes on listening': listensIn('find'),
  'looks at once share an answer': () => (store) => {
    let last: Promise<Session | undefined> | undefined;
    return {
      find: async (hash, now, signal) => {
        last ??= store.find(hash, now, signal).finally(() => {
          last = undefined;
        });
        return last;
      },
    };
  },
  'a link is found as a session': () => {
    const links = new Map<string, Session>();
    return (store) => ({
      offer: async (link, events) => {
        const { endsAt } = link;
        links.set(link.tokenHash, { ...link, apiKey: null, displayName: null, startedAt: endsAt });
        await store.offer(link, events);
      },
      find: async (hash, now, signal) => (await store.find(hash, now, signal)) ?? links.get(hash),
    });
  },
  'links are listed among sessions': () => {
    const links = new Map<string, Session>();
    return (store) => ({
      offer: async (link, events) => {
        const { endsAt } = link;
        links.set(link.tokenHash, { ...link, apiKey: null, displayName: null, startedAt: endsAt });
        await store.offer(link, events);
      },
      redeem: async (request, events) => {
        links.delete(request.link);
        return store.redeem(request, events);
      },
      list: async (query) =>
        [...(await store.list(query)), ...links.values()]
          .filter(isOf(query))
          .filter(isAfter(query))
          .filter(({ endsAt }) => endsAt > query.now)
          .sort((one, other) => (one.tokenHash < other.tokenHash ? -1 : 1))
          .slice(0, query.limit),
    });
  },
  'a session is listed at the very instant of its end': asks('list', (query) => [
    { ...query, now: query.now - 1 },
  ]),
  'a session is not listed before it starts': listing((all, query) =>
    all
      .filter(({ startedAt }) => startedAt <= query.now)
      .filter(isOf(query))
      .filter(isAfter(query))
      .slice(0, query.limit),
  ),
  'sessions are listed as they started': listing((all, query) =>
    all
      .filter(isOf(query))
      .filter(isAfter(query))
      .toSorted((one, other) => one.startedAt - other.startedAt)
      .slice(0, query.limit),
  ),
  'hashes are ordered as people count': listing((all, query) =>
    all
      .filter(isOf(query))
      .filter(isAfter(query))
      .toSorted((one, other) => one.tokenHash.localeCompare(other.tokenHash, 'en', { numeric: true }))
      .slice(0, query.limit),
  ),
  'a page begins with the hash itself': listing((all, query) =>
    all
      .filter(isOf(query))
      .filter(({ tokenHash }) => tokenHash >= (query.after ?? ''))
      .slice(0, query.limit),
  ),
  'a page has one less': asks('list', (query) => [{ ...query, limit: Math.max(query.limit - 1, 1) }]),
  'a page has one more': asks('list', (query) => [{ ...query, limit: query.limit + 1 }]),
  'a page has fifty at most': asks('list', (query) => [{ ...query, limit: Math.min(query.limit, 50) }]),
  'a page is of an account after it was cut': listing((all, query) =>
    all.filter(isAfter(query)).slice(0, query.limit).filter(isOf(query)),
  ),
  'a page begins after a session that is there': listing((all, query) => {
    const wanted = all.filter(isOf(query));
    const at = wanted.findIndex(({ tokenHash }) => tokenHash === query.after);
    return wanted.slice(at + 1, at + 1 + query.limit);
  }),
  'a page after a session that is gone is empty': listing((all, query) => {
    const wanted = all.filter(isOf(query));
    const at = wanted.findIndex(({ tokenHash }) => tokenHash === query.after);
    const isGone = query.after !== undefined && query.after.length === 64 && at < 0;
    return isGone ? [] : wanted.filter(isAfter(query)).slice(0, query.limit);
  }),
  'a page after the beginning of a hash leaves those out that begin so': listing((all, query) =>
    all
      .filter(isOf(query))
      .filter(isAfter(query))
      .filter(({ tokenHash }) => !query.after || !tokenHash.startsWith(query.after))
      .slice(0, query.limit),
  ),
  'sessions of an account are listed in any letter case': listing((all, query) =>
    all
      .filter(({ account }) => !query.account || account.toLowerCase() === query.account.toLowerCase())
      .filter(isAfter(query))
      .slice(0, query.limit),
  ),
  'sessions of an account are those of all that begin like it': listing((all, query) =>
    all
      .filter(({ account }) => account.startsWith(query.account ?? ''))
      .filter(isAfter(query))
      .slice(0, query.limit),
  ),
  'an account is listed with one session of a key': listing((all, query) => {
    const wanted = all.filter(isOf(query)).filter(isAfter(query));
    const seen = new Set<string>();
    return wanted
      .filter(({ apiKey }) => apiKey === null || (!seen.has(apiKey) && seen.add(apiKey)))
      .slice(0, query.limit);
  }),
  'the list of all has sessions of keys alone': listing((all, query) =>
    all
      .filter(isOf(query))
      .filter(({ apiKey }) => query.account !== undefined || apiKey !== null)
      .filter(isAfter(query))
      .slice(0, query.limit),
  ),
  'a list has no names': answers('list', (sessions) =>
    sessions.map((session) => ({ ...session, displayName: null })),
  ),
  'a list does not say who acts': answers('list', (sessions) =>
    sessions.map((session) => ({ ...session, actor: { kind: 'person', id: session.account } })),
  ),
  'a list is kept for who asks again': keeps('list'),
  'a list is empty where the database does not answer': coversUp('list', []),
  'a list does not say why the database does not answer': isCurtIn('list'),
  'ending tells a fault of the database as a broken one': misnames('end', 'store_corrupt'),
  'an end that could not be kept is passed over': coversUp('end', undefined),
  'a refusal that could not be kept is passed over': coversUp('refuse', undefined),
  'dropping what ended drops nothing where the database does not answer': coversUp('purge', 0),
  'a session ends a little after that was answered': hurries('end', undefined),
  'all sessions of a person end at once': does('end', async (store, hash, events) => {
    const all = await allAt(store, 0 as Instant);
    const ended = all.find(({ tokenHash }) => tokenHash === hash);
    const alike = all.filter(({ account }) => account === ended?.account);
    for (const { tokenHash } of alike) await store.end(tokenHash, []);
    await store.end(hash, events);
  }),
  'sessions of the same key end together': does('end', async (store, hash, events) => {
    const all = await allAt(store, 0 as Instant);
    const ended = all.find(({ tokenHash }) => tokenHash === hash);
    const alike = all.filter(({ apiKey }) => apiKey !== null && apiKey === ended?.apiKey);
    for (const { tokenHash } of alike) await store.end(tokenHash, []);
    await store.end(hash, events);
  }),
  'sessions that begin alike end together': does('end', async (store, hash, events) => {
    const all = await allAt(store, 0 as Instant);
    const alike = all.filter(({ tokenHash }) => tokenHash.startsWith(hash.slice(0, 16)));
    for (const { tokenHash } of alike) await store.end(tokenHash, []);
    await store.end(hash, events);
  }),
  'ending what never was is a fault': does('end', async (store, hash, events) => {
    if ((await store.find(hash, 0 as Instant)) === undefined) throw new Error('no row');
    await store.end(hash, events);
  }),
  'what was ended before it began never begins': () => {
    const ended = new Set<string>();
    return (store) => ({
      begin: async (session, events) => {
        if (!ended.has(session.tokenHash)) await store.begin(session, events);
      },
      end: async (hash, events) => {
        ended.add(hash);
        await store.end(hash, events);
      },
    });
  },
  'an ended session is listed still': () => {
    const ended = new Set<string>();
    return (store) => ({
      find: async (hash, ...rest) => (ended.has(hash) ? undefined : store.find(hash, ...rest)),
      end: async (hash) => {
        ended.add(hash);
      },
    });
  },
  'a session that ended twice is back': () => {
    const ended = new Map<string, Session>();
    return (store) => ({
      end: async (hash, events) => {
        const before = ended.get(hash);
        const session = await store.find(hash, 0 as Instant);
        if (session !== undefined) ended.set(hash, session);
        await store.end(hash, events);
        await turns(1);
        if (before !== undefined) await store.begin(before, []);
      },
    });
  },
};
