import type { Instant, SessionStore, Sha256 } from '@pinfold/core';
import { type Sabotages, waysOf } from '../ways.ts';

const { asks, coversUp } = waysOf<SessionStore>();

export const sabotagesOfSessionEnds: Sabotages<SessionStore> = {
  'end has a session end at its start': () => {
    const ended = new Set<Sha256>();
    return (store) => ({
      end: async (tokenHash) => {
        ended.add(tokenHash);
      },
      find: async (tokenHash, now, signal) => {
        const session = await store.find(tokenHash, now, signal);
        return session !== undefined && ended.has(tokenHash) && session.startedAt <= now
          ? undefined
          : session;
      },
      list: async (query) =>
        (await store.list(query)).filter(
          ({ tokenHash, startedAt }) => !ended.has(tokenHash) || startedAt > query.now,
        ),
    });
  },
  'end of what never was ends what will be': () => {
    const ended = new Set<Sha256>();
    return (store) => ({
      end: async (tokenHash, events) => {
        ended.add(tokenHash);
        await store.end(tokenHash, events);
      },
      find: async (tokenHash, now, signal) => {
        const session = await store.find(tokenHash, now, signal);
        return ended.has(tokenHash) ? undefined : session;
      },
    });
  },
  'end keeps the row, which is counted as it is purged': () => {
    const ended = new Set<Sha256>();
    return (store) => ({
      end: async (tokenHash, events) => {
        const session = await store.find(tokenHash, 0 as Instant);
        if (session !== undefined) ended.add(tokenHash);
        await store.end(tokenHash, events);
      },
      purge: async (endedBy, limit) => {
        const count = await store.purge(endedBy, limit);
        const more = Math.min(limit - count, ended.size);
        ended.clear();
        return count + more;
      },
    });
  },
  'purge counts links that were redeemed': () => {
    const offered = new Map<Sha256, Instant>();
    const redeemed = new Map<Sha256, Instant>();
    return (store) => ({
      offer: async (link, events) => {
        offered.set(link.tokenHash, link.endsAt);
        await store.offer(link, events);
      },
      redeem: async (request, events) => {
        const answer = await store.redeem(request, events);
        const endsAt = offered.get(request.link);
        if (answer.kind === 'redeemed' && endsAt !== undefined) redeemed.set(request.link, endsAt);
        return answer;
      },
      purge: async (endedBy, limit) => {
        let count = await store.purge(endedBy, limit);
        for (const [link, endsAt] of redeemed) {
          if (endsAt <= endedBy && count < limit && redeemed.delete(link)) count += 1;
        }
        return count;
      },
    });
  },
  'purge waits for the instant to pass': asks('purge', (endedBy, limit) => [endedBy - 1, limit]),
  'purge drops a thousand at most': asks('purge', (endedBy, limit) => [endedBy, Math.min(limit, 1000)]),
  'purge covers up that nothing answers': coversUp('purge', 0),
};
