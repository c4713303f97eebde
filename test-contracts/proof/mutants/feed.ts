import type { FeedId, FeedPlace, FeedQuery, HistoryStore } from '@pinfold/core';
import type { HistoryStores, StoreSubject } from '@pinfold/test-contracts';
import type { MethodShape } from './derive.ts';
import type { Fields } from './distortions.ts';
import type { Mutant, Mutate } from './mutant.ts';
import { EVENT } from './records.ts';

const FEED: Fields<FeedQuery> = { account: 'text', pin: 'uuid', after: 'count', limit: 'count' };
const PLACE: Fields<FeedPlace> = { number: 'count', event: 'uuid' };

export const feedShape: MethodShape = {
  takes: { query: FEED },
  answers: {
    feed: 'hash',
    begin: PLACE,
    last: PLACE,
    there: 'uuid',
    items: [{ number: 'count', event: EVENT }],
  },
  early: {
    value: {
      feed: '0'.repeat(32),
      begin: { number: 0, event: null },
      last: { number: 0, event: null },
      there: undefined,
      items: [],
    },
  },
  clauses: 'unreachable feed-order feed-begin feed-accounts feed-there feed-id same-question many',
  untested: [
    'answers.feed.{nearly,stuck} answers.items.event.asOperator.lowered takes.query.account',
    'answers.items.event.{account,address,name,request} answers.items.event.actor.{id.stuck,kind}',
  ],
  tested: [
    'answers.begin.number.capped answers.items.event.account.{lost,raised,stuck} answers.items.number.capped',
    'answers.last.number.capped takes.query.account.{lost,lowered,raised,stuck}',
    'takes.query.after.capped',
  ],
};

/** Mutants of the feed, created by a function for mutants of the history alone. */
export function feedMutants(
  ofHistory: Mutate<HistoryStore, StoreSubject<HistoryStores>>,
): readonly Mutant<StoreSubject<HistoryStores>>[] {
  return [
    ofHistory('feed-order', 'the feed is in the order of instants', () => (history) => ({
      feed: async (query) => {
        const part = await history.feed(query);
        const sorted = part.items.toSorted((one, two) => one.event.at - two.event.at);
        const items = sorted.map(({ event }, n) => ({ number: part.items[n]?.number ?? 0, event }));
        return { ...part, items };
      },
    })),
    ofHistory('feed-once', 'the newest event shows at its number when another one follows', () => {
      const followed = new Set<unknown>();
      return (history) => ({
        feed: async (query) => {
          const part = await history.feed(query);
          const late = part.items.at(-2)?.event.id;
          if (late === undefined || followed.has(late)) return part;
          followed.add(late);
          return { ...part, items: part.items.filter(({ event }) => event.id !== late) };
        },
      });
    }),
    ofHistory('feed-accounts', 'the feed of an account has the numbers of all', () => (history) => ({
      feed: async (query) => {
        const all = await history.feed({ ...query, account: undefined });
        if (query.account === undefined) return all;
        return { ...all, items: all.items.filter(({ event }) => event.account === query.account) };
      },
    })),
    ofHistory('feed-begin', 'a feed begins at its first number for ever', () => (history) => ({
      feed: async (query) => ({ ...(await history.feed(query)), begin: { number: 0, event: null } }),
    })),
    ofHistory('feed-id', 'all databases have one feed', () => (history) => ({
      feed: async (query) => ({ ...(await history.feed(query)), feed: 'f'.repeat(32) as FeedId }),
    })),
  ];
}
