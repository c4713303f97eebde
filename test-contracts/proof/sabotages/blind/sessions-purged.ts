import type { Instant, SessionStore, Sha256 } from '@pinfold/core';
import { type Sabotages, waysOf } from '../ways.ts';
import { UNKNOWN } from './sessions-begun.ts';

const { does, answers, asks, hurries } = waysOf<SessionStore>();

const MINUTE = 60_000;

/** Ways to be wrong in dropping what ended, written from the sentences of the port alone. */
export const purgedSessionSabotages: Sabotages<SessionStore> = {
  'what ended at the very instant stays': asks('purge', (endedBy, limit) => [endedBy - 1, limit]),
  'what is about to end goes': asks('purge', (endedBy, limit) => [endedBy + 1, limit]),
  'what ended stays for a minute more': asks('purge', (endedBy, limit) => [endedBy - MINUTE, limit]),
  'what ended is asked of the clock of this machine': asks('purge', (_, limit) => [Date.now(), limit]),
  'a limit is of sessions and of links each': does('purge', async (store, endedBy, limit) =>
    Math.min(limit, (await store.purge(endedBy, limit)) + (await store.purge(endedBy, limit))),
  ),
  'one more goes than the limit': does('purge', async (store, endedBy, limit) =>
    Math.min(limit, await store.purge(endedBy, limit + 1)),
  ),
  'five hundred go at once at most': asks('purge', (endedBy, limit) => [endedBy, Math.min(limit, 500)]),
  'the answer is at least one less than the limit': answers('purge', (dropped, _, limit) =>
    dropped === limit ? limit - 1 : dropped,
  ),
  'the answer is the limit where the last one went': answers('purge', (dropped, _, limit) =>
    dropped > 0 ? limit : 0,
  ),
  'links that ended stay': () => {
    const links = new Map<string, number>();
    return (store) => ({
      offer: async (link, events) => {
        links.set(link.tokenHash, link.endsAt);
        await store.offer({ ...link, endsAt: Math.max(link.endsAt, 2 ** 45) as Instant }, events);
      },
      redeem: async (request, events) => {
        const endsAt = links.get(request.link) ?? 0;
        return endsAt <= request.now ? UNKNOWN : store.redeem(request, events);
      },
    });
  },
  'links go before they end': () => {
    const links = new Set<Sha256>();
    return (store) => ({
      offer: async (link, events) => {
        links.add(link.tokenHash);
        await store.offer(link, events);
      },
      redeem: async (request, events) => (links.has(request.link) ? store.redeem(request, events) : UNKNOWN),
      purge: async (endedBy, limit) => {
        links.clear();
        return store.purge(endedBy, limit);
      },
    });
  },
  'a session that goes takes the others of its account along': does(
    'purge',
    async (store, endedBy, limit) => {
      const now = 0 as Instant;
      const all = await store.list({ account: undefined, now, after: undefined, limit: 100_000 });
      const ended = new Set(all.filter((one) => one.endsAt <= endedBy).map(({ account }) => account));
      const dropped = await store.purge(endedBy, limit);
      for (const one of all) if (ended.has(one.account)) await store.end(one.tokenHash, []);
      return dropped;
    },
  ),
  'sessions that have not started go': does('purge', async (store, endedBy, limit) => {
    const query = { account: undefined, now: endedBy, after: undefined, limit: 100_000 };
    const early = (await store.list(query)).filter(({ startedAt }) => startedAt > endedBy);
    for (const { tokenHash } of early) await store.end(tokenHash, []);
    return store.purge(endedBy, limit);
  }),
  'what ended goes a little after that was answered': hurries('purge', 0),
  'links that were redeemed are counted when they would have ended': () => {
    let redeemed: Instant[] = [];
    const ends = new Map<string, Instant>();
    return (store) => ({
      offer: async (link, events) => {
        ends.set(link.tokenHash, link.endsAt);
        await store.offer(link, events);
      },
      redeem: async (request, events) => {
        const answer = await store.redeem(request, events);
        const endsAt = ends.get(request.link);
        if (answer.kind === 'redeemed' && endsAt !== undefined) redeemed.push(endsAt);
        return answer;
      },
      purge: async (endedBy, limit) => {
        const dropped = await store.purge(endedBy, limit);
        const later = redeemed.filter((endsAt) => endsAt > endedBy);
        const counted = redeemed.length - later.length;
        redeemed = later;
        return Math.min(limit, dropped + counted);
      },
    });
  },
};
