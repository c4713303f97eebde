import type { AccountId, Session, SessionStore, Sha256 } from '@pinfold/core';
import { sessionIdOf } from '@pinfold/core/accounts';
import { type Sabotages, waysOf } from '../ways.ts';
import { ALL, everySession, knowingLinks } from './sessions-sixth-links.ts';

const { does, asks } = waysOf<SessionStore>();

export const sixthSessionsEnded: Sabotages<SessionStore> = {
  'ends by the id of a session': does('end', async (store, hash, events) => {
    const id = sessionIdOf({ tokenHash: hash });
    for (const session of await everySession(store))
      if (sessionIdOf(session) === id && session.tokenHash !== hash) await store.end(session.tokenHash, []);
    return store.end(hash, events);
  }),
  'ends the links of the account with a session': knowingLinks((store, { offered, gone }) => ({
    end: async (hash, events) => {
      const session = (await everySession(store)).find(({ tokenHash }) => tokenHash === hash);
      for (const link of offered.values()) if (link.account === session?.account) gone.add(link.tokenHash);
      return store.end(hash, events);
    },
  })),
  'ends a link of that hash': knowingLinks((store, { offered, gone }) => ({
    end: async (hash, events) => {
      await store.end(hash, events);
      if (offered.has(hash)) gone.add(hash);
    },
  })),
  'ends a session at its start': () => {
    const ended = new Map<Sha256, Session>();
    return (store) => ({
      end: async (hash, events) => {
        const session = (await everySession(store)).find(({ tokenHash }) => tokenHash === hash);
        await store.end(hash, events);
        if (session) ended.set(hash, { ...session, endsAt: session.startedAt });
      },
      find: async (hash, now, signal) => {
        const found = await store.find(hash, now, signal);
        const before = ended.get(hash);
        return found ?? (before && before.endsAt > now ? before : undefined);
      },
    });
  },
  'begins none that was ended before': () => {
    const ended = new Set<Sha256>();
    return (store) => ({
      end: async (hash, events) => {
        await store.end(hash, events);
        ended.add(hash);
      },
      begin: (session, events) =>
        ended.has(session.tokenHash) ? store.end(session.tokenHash, []) : store.begin(session, events),
    });
  },
  'ends the links of an account at its fifth refusal': () => {
    const refusals = new Map<AccountId, number>();
    return knowingLinks((store, { offered, gone }) => ({
      refuse: async (event, unlessSince) => {
        await store.refuse(event, unlessSince);
        const count = (refusals.get(event.account) ?? 0) + 1;
        refusals.set(event.account, count);
        if (count < 5) return;
        for (const link of offered.values()) if (link.account === event.account) gone.add(link.tokenHash);
      },
    }))();
  },
  'ends the sessions of a doer that was refused': does('refuse', async (store, event, unlessSince) => {
    await store.refuse(event, unlessSince);
    for (const { actor, tokenHash } of await everySession(store))
      if (actor.kind === event.actor.kind && actor.id === event.actor.id) await store.end(tokenHash, []);
  }),
  'drops all links where sessions fill the limit': does('purge', async (store, endedBy, limit) => {
    const ended = (await everySession(store)).filter(({ endsAt }) => endsAt <= endedBy);
    const dropped = await store.purge(endedBy, limit);
    return ended.length === limit ? dropped + (await store.purge(endedBy, ALL)) : dropped;
  }),
  'drops sessions with the links that began them': knowingLinks((store, { begun }) => ({
    purge: async (endedBy, limit) => {
      const dropped = await store.purge(endedBy, limit);
      for (const [hash, link] of begun) if (link.endsAt <= endedBy) await store.end(hash, []);
      return dropped;
    },
  })),
  'drops a thousand at most': asks('purge', (endedBy, limit) => [endedBy, Math.min(limit, 1_000)]),
  'redeems a dropped link at an instant before its end': knowingLinks((store, { offered, begun }) => ({
    redeem: async (request, events) => {
      const link = offered.get(request.link);
      const answer = await store.redeem(request, events);
      if (answer.kind === 'redeemed' && link) begun.set(answer.session.tokenHash, link);
      const isDropped = link && link.endsAt > request.now && ![...begun.values()].includes(link);
      if (!isDropped) return answer;
      await store.offer(link, []);
      return store.redeem(request, events);
    },
  })),
};
