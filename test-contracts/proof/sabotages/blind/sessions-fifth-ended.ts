import { Fault, type Instant, isFault, type SessionStore, type Sha256, type SignInLink } from '@pinfold/core';
import { type Sabotages, waysOf } from '../ways.ts';
import { everySession } from './sessions-fifth-begun.ts';

const { does } = waysOf<SessionStore>();

const EVER = Number.NEGATIVE_INFINITY as Instant;

/** Of ends and of refused sign-ins. */
export const endedFifth: Sabotages<SessionStore> = {
  'what no event tells of is not ended': does('end', async (store, hash, events) => {
    await (events.length > 0 ? store.end(hash, events) : store.find(hash, EVER));
  }),
  'a session is over from the instant of its end on': does('end', async (store, hash, events) => {
    const session = await store.find(hash, EVER);
    await store.end(hash, events);
    const [event] = events;
    if (session && event && event.at < session.endsAt)
      await store.begin({ ...session, endsAt: event.at }, []);
  }),
  'what was ended never begins': () => {
    const ended = new Set<Sha256>();
    return (store) => ({
      begin: async (session, events) => {
        if (!ended.has(session.tokenHash)) await store.begin(session, events);
      },
      end: async (hash, events) => {
        await store.end(hash, events);
        ended.add(hash);
      },
    });
  },
  'a link is ended like a session': () => {
    const ended = new Set<Sha256>();
    return (store) => ({
      end: async (hash, events) => {
        await store.end(hash, events);
        ended.add(hash);
      },
      redeem: async (request, events) =>
        ended.has(request.link) ? { kind: 'unknown' } : store.redeem(request, events),
    });
  },
  'a refusal is remembered before it is kept': () => (store) => {
    const last = new Map<string, Instant>();
    return {
      refuse: async (event, unlessSince) => {
        if ((last.get(event.account) ?? EVER) > unlessSince) return;
        last.set(event.account, event.at);
        await store.refuse(event, unlessSince);
      },
    };
  },
  'a refusal that was kept already is a fault': () => {
    const last = new Map<string, Instant>();
    return (store) => ({
      refuse: async (event, unlessSince) => {
        await store.refuse(event, unlessSince);
        if ((last.get(event.account) ?? EVER) > unlessSince) throw new Fault('store_corrupt', 'unique');
        last.set(event.account, event.at);
      },
    });
  },
  'a refused key loses the sessions it began': does('refuse', async (store, event, unlessSince) => {
    await store.refuse(event, unlessSince);
    if (event.actor.kind !== 'key') return;
    for (const { apiKey, tokenHash } of await everySession(store)) {
      if (apiKey === event.actor.id) await store.end(tokenHash, []);
    }
  }),
  'a refusal leaves the links of its account a minute': () => {
    const offered = new Map<Sha256, SignInLink>();
    const cut = new Map<Sha256, number>();
    return (store) => ({
      offer: async (link, events) => {
        await store.offer(link, events);
        offered.set(link.tokenHash, link);
      },
      refuse: async (event, unlessSince) => {
        await store.refuse(event, unlessSince);
        for (const { account, tokenHash } of offered.values()) {
          if (account === event.account) cut.set(tokenHash, event.at + 60_000);
        }
      },
      redeem: async (request, events) =>
        request.now >= (cut.get(request.link) ?? Number.POSITIVE_INFINITY)
          ? { kind: 'unknown' }
          : store.redeem(request, events),
    });
  },
};

/** Of purges, and of what nothing answers. */
export const purgedFifth: Sabotages<SessionStore> = {
  'links wait for a purge without sessions': does('purge', async (store, endedBy, limit) => {
    const ended = (await everySession(store)).filter(({ endsAt }) => endsAt <= endedBy).length;
    return store.purge(endedBy, ended > 0 ? Math.min(ended, limit) : limit);
  }),
  'sessions that no key began are not purged': does('purge', async (store, endedBy, limit) => {
    const spared = (await everySession(store)).filter(({ apiKey }) => apiKey === null);
    let count = await store.purge(endedBy, limit);
    for (const session of spared) {
      if (await store.find(session.tokenHash, EVER)) continue;
      await store.begin(session, []);
      count -= 1;
    }
    return count;
  }),
  'refusals are counted among what is dropped': () => {
    let refusals: Instant[] = [];
    return (store) => ({
      refuse: async (event, unlessSince) => {
        await store.refuse(event, unlessSince);
        refusals.push(event.at);
      },
      purge: async (endedBy, limit) => {
        const count = await store.purge(endedBy, limit);
        const old = refusals.filter((at) => at <= endedBy).slice(0, limit - count);
        refusals = refusals.filter((at) => !old.includes(at));
        return count + old.length;
      },
    });
  },
  'ends are compared as text by a purge': does('purge', async (store, endedBy, limit) => {
    const count = await store.purge(endedBy, limit);
    const wrong = (await everySession(store)).filter(({ endsAt }) => String(endsAt) <= String(endedBy));
    const dropped = wrong.filter(({ endsAt }) => endsAt > endedBy).slice(0, limit - count);
    for (const { tokenHash } of dropped) await store.end(tokenHash, []);
    return count + dropped.length;
  }),
  'a purge drops a hundred and says that it dropped all': does('purge', async (store, endedBy, limit) => {
    const count = await store.purge(endedBy, Math.min(limit, 100));
    return count === 100 ? limit : count;
  }),
  'after the first fault the next ones have no cause': () => (store) => {
    let isOpen = false;
    const broken =
      <I extends unknown[], A>(call: (...inputs: I) => Promise<A>) =>
      async (...inputs: I): Promise<A> => {
        if (isOpen) throw new Fault('store_unavailable', 'tried a moment ago');
        return call(...inputs).catch((error: unknown) => {
          isOpen = isFault(error);
          throw error;
        });
      };
    const { offer, redeem, begin, find, list, end, refuse, purge } = store;
    return {
      offer: broken(offer),
      redeem: broken(redeem),
      begin: broken(begin),
      find: broken(find),
      list: broken(list),
      end: broken(end),
      refuse: broken(refuse),
      purge: broken(purge),
    };
  },
  'of a cause what JSON keeps is told': does('redeem', (store, request, events) =>
    store.redeem(request, events).catch((error: unknown) => {
      if (!isFault(error)) throw error;
      const cause: unknown = JSON.parse(JSON.stringify(error.cause));
      throw new Fault(error.code, error.message, { cause });
    }),
  ),
  'a list throws before there is a promise': () => (store) => {
    let known: unknown;
    store.find('0'.repeat(64) as Sha256, EVER).catch((error: unknown) => {
      known = error;
    });
    return {
      list: (query) => {
        if (known) throw known;
        return store.list(query);
      },
    };
  },
};
