import type { AccountId, Session, SessionStore } from '@pinfold/core';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';
import { type Sabotages, waysOf } from '../ways.ts';
import { ALL } from './sessions-sixth-links.ts';

const { does, answers, asks } = waysOf<SessionStore>();

function listsWhere(isOf: (account: string, wanted: string) => boolean): Spoiling<SessionStore> {
  return does('list', async (store, { account, ...query }) =>
    account === undefined
      ? store.list({ account, ...query })
      : (await store.list({ ...query, account: undefined, limit: ALL }))
          .filter((session) => isOf(session.account, account))
          .slice(0, query.limit),
  );
}

export const sixthSessionsListed: Sabotages<SessionStore> = {
  'fills up what it lists after with zeros': asks('list', (query) => [
    { ...query, after: query.after?.padEnd(64, '0') },
  ]),
  'lists after a text in lower case': asks('list', (query) => [
    { ...query, after: query.after?.toLowerCase() },
  ]),
  'takes an underscore in an account for any character': listsWhere(
    (account, wanted) =>
      account.length === wanted.length &&
      account.split('').every((unit, n) => wanted[n] === '_' || wanted[n] === unit),
  ),
  'lists nothing of an account that every object has': answers('list', (sessions, { account }) =>
    account !== undefined && account in {} ? [] : sessions,
  ),
  'compares accounts without spaces at their ends': listsWhere(
    (account, wanted) => account.trimEnd() === wanted.trimEnd(),
  ),
  'lists two thousand at most': asks('list', (query) => [{ ...query, limit: Math.min(query.limit, 2_000) }]),
  'takes a limit of 0 for none': asks('list', (query) => [{ ...query, limit: query.limit || ALL }]),
  'pages through what was there at the first page': () => (store) => {
    const pages = new Map<AccountId | undefined, readonly Session[]>();
    return {
      list: async (query) => {
        const { account, after, now, limit } = query;
        const kept = pages.get(account);
        if (after !== undefined && kept)
          return kept.filter((one) => one.endsAt > now && one.tokenHash > after).slice(0, limit);
        if (after === undefined) pages.set(account, await store.list({ ...query, limit: ALL }));
        return store.list(query);
      },
    };
  },
  'lists as before while there are as many': () => (store) => {
    const kept = new Map<string, { readonly count: number; readonly answer: readonly Session[] }>();
    return {
      list: async (query) => {
        const all = { account: undefined, now: query.now, after: undefined, limit: ALL };
        const count = (await store.list(all)).length;
        const question = JSON.stringify(query);
        const before = kept.get(question);
        const answer = before?.count === count ? before.answer : await store.list(query);
        kept.set(question, { count, answer });
        return answer;
      },
    };
  },
  'adds what begins to the last list it gave': () => (store) => {
    let last: Session[] = [];
    return {
      list: async (query) => {
        last = [...(await store.list(query))];
        return last;
      },
      begin: async (session, events) => {
        await store.begin(session, events);
        last.push(session);
      },
    };
  },
  'lists none of nothing without asking': does('list', async (store, query) =>
    query.limit === 0 ? [] : store.list(query),
  ),
};
