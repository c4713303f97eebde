import type { AccountId, Instant, Session, SessionStore, Sha256, SignInLink } from '@pinfold/core';
import { type Sabotages, waysOf } from '../ways.ts';
import { everySession } from './sessions-fifth-begun.ts';

const { asks, does } = waysOf<SessionStore>();

const LAST_SECOND_OF_32_BITS = (2 ** 31 - 1) * 1_000;

/** Of links. */
export const redeemedFifth: Sabotages<SessionStore> = {
  'what else comes with the session to be is taken for its own': does(
    'redeem',
    async (store, request, events) => {
      const outcome = await store.redeem(request, events);
      if (outcome.kind === 'unknown') return outcome;
      const session: Session = { ...outcome.session, ...request.session };
      await store.begin(session, []);
      return { kind: 'redeemed' as const, session };
    },
  ),
  'the session of a link starts when it is redeemed': asks('redeem', (request, events) => [
    { ...request, session: { ...request.session, startedAt: request.now } },
    events,
  ]),
  'a link is looked at as of the start of its session': asks('redeem', (request, events) => [
    { ...request, now: request.session.startedAt },
    events,
  ]),
  'a link is good again for the session it began': () => {
    const redeemed = new Map<Sha256, Session>();
    return (store) => ({
      redeem: async (request, events) => {
        const session = redeemed.get(request.link);
        if (session?.tokenHash === request.session.tokenHash) return { kind: 'redeemed' as const, session };
        const outcome = await store.redeem(request, events);
        if (outcome.kind === 'redeemed') redeemed.set(request.link, outcome.session);
        return outcome;
      },
    });
  },
  'a link is good again when its session was purged': () => {
    const offered = new Map<Sha256, SignInLink>();
    const taken = new Map<Sha256, SignInLink>();
    return (store) => ({
      offer: async (link, events) => {
        await store.offer(link, events);
        offered.set(link.tokenHash, link);
      },
      redeem: async (request, events) => {
        const outcome = await store.redeem(request, events);
        const link = offered.get(request.link);
        if (outcome.kind === 'redeemed' && link) taken.set(outcome.session.tokenHash, link);
        return outcome;
      },
      purge: async (endedBy, limit) => {
        const before = await everySession(store);
        const count = await store.purge(endedBy, limit);
        const after = new Set((await everySession(store)).map(({ tokenHash }) => tokenHash));
        for (const { tokenHash } of before) {
          const link = taken.get(tokenHash);
          if (link && !after.has(tokenHash)) await store.offer(link, []);
        }
        return count;
      },
    });
  },
  'the end of a link has 32 bits of seconds': asks('offer', (link, events) => [
    { ...link, endsAt: Math.min(link.endsAt, LAST_SECOND_OF_32_BITS) as Instant },
    events,
  ]),
  'of links of one account that end together the first is kept': () => {
    const kept = new Map<string, Sha256>();
    return (store) => ({
      offer: async (link, events) => {
        const row = `${link.endsAt} ${link.account}`;
        if (kept.has(row)) return;
        await store.offer(link, events);
        kept.set(row, link.tokenHash);
      },
      redeem: async (request, events) => {
        const outcome = await store.redeem(request, events);
        for (const [row, hash] of kept) {
          if (outcome.kind === 'redeemed' && hash === request.link) kept.delete(row);
        }
        return outcome;
      },
    });
  },
  'an account has its last five links': () => {
    const offered: SignInLink[] = [];
    return (store) => ({
      offer: async (link, events) => {
        await store.offer(link, events);
        offered.push(link);
      },
      redeem: async (request, events) => {
        const link = offered.find(({ tokenHash }) => tokenHash === request.link);
        const own = offered.filter(({ account }) => account === link?.account);
        if (link && !own.slice(-5).includes(link)) return { kind: 'unknown' };
        return store.redeem(request, events);
      },
    });
  },
  'a link without events begins no session': does('redeem', async (store, request, events) => {
    const outcome = await store.redeem(request, events);
    if (events.length === 0 && outcome.kind === 'redeemed') await store.end(request.session.tokenHash, []);
    return outcome;
  }),
  'a session is redeemed like a link': does('redeem', async (store, request, events) => {
    const outcome = await store.redeem(request, events);
    const old = await store.find(request.link, request.now);
    if (outcome.kind === 'redeemed' || old === undefined) return outcome;
    const { account, actor, scope } = old;
    const session = { ...request.session, account, actor, scope };
    await store.end(old.tokenHash, []);
    await store.begin(session, []);
    return { kind: 'redeemed' as const, session };
  }),
  'the account of a link is decoded like a URL': asks('offer', (link, events) => [
    {
      ...link,
      account: link.account.replace(/%[0-7][0-9a-f]/gi, (code) => decodeURIComponent(code)) as AccountId,
    },
    events,
  ]),
};
