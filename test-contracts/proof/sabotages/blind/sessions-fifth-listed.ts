import type { Session, SessionStore, Sha256 } from '@pinfold/core';
import { type Sabotages, waysOf } from '../ways.ts';
import { everySession } from './sessions-fifth-begun.ts';

const { answers, asks, does } = waysOf<SessionStore>();

const ofAccountsLike = (isLike: (account: string, asked: string) => boolean) =>
  does('list', async (store, query) => {
    const { account: asked, limit } = query;
    if (asked === undefined) return store.list(query);
    const all = await store.list({ ...query, account: undefined, limit: Number.MAX_SAFE_INTEGER });
    return all.filter(({ account }) => isLike(account, asked)).slice(0, limit);
  });

const withoutEmoji = (account: string): string => account.replace(/[\u{10000}-\u{10ffff}]/gu, '?');

/** Of lists. */
export const listedFifth: Sabotages<SessionStore> = {
  'the beginning of a hash is read by whole bytes': asks('list', ({ after, ...query }) => [
    { ...query, after: after?.slice(0, after.length - (after.length % 2)) },
  ]),
  'accounts that differ in an emoji are one': ofAccountsLike(
    (account, asked) => withoutEmoji(account) === withoutEmoji(asked),
  ),
  'a low line in an account stands for any character': ofAccountsLike((account, asked) => {
    const characters = [...account];
    const wanted = [...asked];
    return (
      characters.length === wanted.length && wanted.every((one, n) => one === '_' || one === characters[n])
    );
  }),
  'an account called as what every object has has no sessions': answers('list', (found, { account }) =>
    account !== undefined && account in {} ? [] : found,
  ),
  'an account ends where a hundred of others follow': does('list', async (store, query) => {
    if (query.account === undefined) return store.list(query);
    const found: Session[] = [];
    let { after } = query;
    for (;;) {
      const scanned = await store.list({ ...query, account: undefined, after, limit: 100 });
      const own = scanned.filter(({ account }) => account === query.account);
      found.push(...own);
      if (own.length === 0 || found.length >= query.limit) return found.slice(0, query.limit);
      after = scanned.at(-1)?.tokenHash;
    }
  }),
  'a page begins at the place where the one before ended': () => (store) => {
    const places = new Map<string, number>();
    return {
      list: async (query) => {
        const { account, after = '', limit } = query;
        const all = await store.list({ ...query, after: undefined, limit: Number.MAX_SAFE_INTEGER });
        const before = all.filter(({ tokenHash }) => tokenHash <= after).length;
        const from = places.get(`${account} ${after}`) ?? before;
        const page = all.slice(from, from + limit);
        places.set(`${account} ${page.at(-1)?.tokenHash}`, from + page.length);
        return page;
      },
    };
  },
  'after a hash that has gone a list begins anew': does('list', async (store, query) => {
    const { after = '', now } = query;
    const isThere = after.length < 64 || (await store.find(after as Sha256, now));
    return store.list(isThere ? query : { ...query, after: undefined });
  }),
  'a list is the same while there are as many sessions': () => (store) => {
    const kept = new Map<string, { count: number; page: readonly Session[] }>();
    return {
      list: async (query) => {
        const asked = JSON.stringify(query);
        const count = (await everySession(store)).length;
        const last = kept.get(asked);
        if (last?.count === count) return last.page;
        const page = await store.list(query);
        kept.set(asked, { count, page });
        return page;
      },
    };
  },
  'a session is listed once for each link of its account': () => {
    const links = new Map<Sha256, string>();
    return (store) => ({
      offer: async (link, events) => {
        await store.offer(link, events);
        links.set(link.tokenHash, link.account);
      },
      redeem: async (request, events) => {
        const outcome = await store.redeem(request, events);
        if (outcome.kind === 'redeemed') links.delete(request.link);
        return outcome;
      },
      list: async (query) => {
        const accounts = [...links.values()];
        const joined = (await store.list(query)).flatMap((session) => {
          const own = accounts.filter((account) => account === session.account);
          return own.length === 0 ? [session] : own.map(() => session);
        });
        return joined.slice(0, query.limit);
      },
    });
  },
  'of sessions of one id one is listed': answers('list', (found) => [
    ...new Map(found.map((session) => [session.tokenHash.slice(0, 16), session])).values(),
  ]),
  'what is ended leaves a list that was given': () => (store) => {
    const given: Session[][] = [];
    return {
      list: async (query) => {
        const page = [...(await store.list(query))];
        given.push(page);
        return page;
      },
      end: async (hash, events) => {
        await store.end(hash, events);
        for (const page of given) {
          const at = page.findIndex(({ tokenHash }) => tokenHash === hash);
          if (at >= 0) page.splice(at, 1);
        }
      },
    };
  },
};
