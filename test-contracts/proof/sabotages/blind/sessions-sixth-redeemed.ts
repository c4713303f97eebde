import type { AccountId, Instant, Session, SessionStore, Sha256, SignInLink } from '@pinfold/core';
import { type Sabotages, waysOf } from '../ways.ts';
import { knowingLinks, newestBeside, sessionBy } from './sessions-sixth-links.ts';

const { does, answers, asks } = waysOf<SessionStore>();

export const sixthSessionsOffered: Sabotages<SessionStore> = {
  'keeps the newest link of each account': knowingLinks((store, known) => ({
    redeem: async (request, events) =>
      (newestBeside(known, request.link)?.tokenHash ?? request.link) === request.link
        ? store.redeem(request, events)
        : { kind: 'unknown' },
  })),
  'keeps no link of which no event tells': does('offer', (store, link, events) =>
    events.length === 0 ? store.end(link.tokenHash, []) : store.offer(link, events),
  ),
  'remembers which links were unknown before they were offered': () => (store) => {
    const unknown = new Set<Sha256>();
    return {
      redeem: async (request, events) => {
        if (unknown.has(request.link)) return { kind: 'unknown' };
        const answer = await store.redeem(request, events);
        if (answer.kind === 'unknown') unknown.add(request.link);
        return answer;
      },
    };
  },
  'redeems from what the handle itself offered': () => (store) => {
    const own = new Map<Sha256, SignInLink>();
    return {
      offer: async (link, events) => {
        await store.offer(link, events);
        own.set(link.tokenHash, link);
      },
      redeem: async (request, events) => {
        const answer = await store.redeem(request, events);
        const link = own.get(request.link);
        own.delete(request.link);
        if (answer.kind === 'redeemed' || !link || link.endsAt <= request.now) return answer;
        const session = sessionBy(request.session, link);
        await store.begin(session, []);
        return { kind: 'redeemed', session };
      },
    };
  },
  'takes the end 0 of a link for none': knowingLinks((store, { offered }) => ({
    redeem: (request, events) => {
      const now = offered.get(request.link)?.endsAt === 0 ? (-1 as Instant) : request.now;
      return store.redeem({ ...request, now }, events);
    },
  })),
  'takes doer and scope of the newest link of the account': knowingLinks((store, known) => ({
    redeem: async (request, events) => {
      const answer = await store.redeem(request, events);
      const newest = newestBeside(known, request.link);
      if (answer.kind === 'unknown' || !newest) return answer;
      const session = sessionBy(answer.session, newest);
      await store.begin(session, []);
      return { kind: 'redeemed', session };
    },
  })),
};

export const sixthSessionsRedeemed: Sabotages<SessionStore> = {
  'judges a link at the start of its session': asks('redeem', (request, events) => [
    { ...request, now: request.session.startedAt },
    events,
  ]),
  'redeems again for the same session': () => {
    const redeemed = new Map<Sha256, Session>();
    return (store) => ({
      redeem: async (request, events) => {
        const answer = await store.redeem(request, events);
        if (answer.kind === 'redeemed') redeemed.set(request.link, answer.session);
        const session = redeemed.get(request.link);
        return session?.tokenHash === request.session.tokenHash ? { kind: 'redeemed', session } : answer;
      },
    });
  },
  'frees the link of a session that was ended': knowingLinks((store, { begun }) => ({
    end: async (hash, events) => {
      await store.end(hash, events);
      const link = begun.get(hash);
      if (link) await store.offer(link, []);
    },
  })),
  'redeems one link of an account at a time': knowingLinks((store, { offered }) => {
    const busy = new Set<AccountId>();
    return {
      redeem: async (request, events) => {
        const account = offered.get(request.link)?.account;
        if (!account) return store.redeem(request, events);
        if (busy.has(account)) return { kind: 'unknown' };
        busy.add(account);
        return store.redeem(request, events).finally(() => busy.delete(account));
      },
    };
  }),
  'drops the key of a session that a link began': asks('redeem', ({ session, ...rest }, events) => [
    { ...rest, session: { ...session, apiKey: null } },
    events,
  ]),
  'tells whoever redeemed no name': answers('redeem', (answer) =>
    answer.kind === 'unknown' ? answer : { ...answer, session: { ...answer.session, displayName: null } },
  ),
  'begins the session of an ended link and says it is unknown': knowingLinks((store, { offered }) => ({
    redeem: async (request, events) => {
      const answer = await store.redeem(request, events);
      const link = offered.get(request.link);
      if (link && link.endsAt <= request.now) await store.begin(sessionBy(request.session, link), []);
      return answer;
    },
  })),
  'drops the session that has the hash of its link': does('redeem', async (store, request, events) => {
    const answer = await store.redeem(request, events);
    if (answer.kind === 'redeemed' && answer.session.tokenHash === request.link)
      await store.end(request.link, []);
    return answer;
  }),
  'redeems at the latest instant that the handle was told': () => (store) => {
    let latest = Number.MIN_SAFE_INTEGER as Instant;
    return {
      redeem: (request, events) => {
        if (request.now > latest) latest = request.now;
        return store.redeem({ ...request, now: latest }, events);
      },
    };
  },
};
