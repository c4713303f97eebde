import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type AccountId,
  type Instant,
  isFault,
  type Session,
  type SessionStore,
  type Sha256,
} from '@pinfold/core';
import { type StoreSubject, sessionStoreContract } from '@pinfold/test-contracts';
import { anEvent } from '@pinfold/test-contracts/fixtures';
import { memorySaboteurs, oneForAll, strangers } from './memory-saboteurs.ts';
import { clausesBut, type Sabotage, type Saboteur } from './sabotage.ts';

/** More sessions than any clause begins. */
const MANY = 100_000;

const { opening, sound, saboteur } = memorySaboteurs<SessionStore>(({ sessions }) => sessions);

const saboteurs: readonly Saboteur<StoreSubject<SessionStore>>[] = [
  {
    breaks: 'session-store/harness-apart',
    how: 'all subjects are over the same data',
    open: opening(oneForAll),
    alsoFails: ['session-store/list-all'],
  },
  {
    breaks: 'session-store/harness-peer',
    how: 'a peer opens data of its own',
    open: opening(strangers),
    alsoFails: clausesBut(sessionStoreContract, [
      'session-store/harness-apart',
      'session-store/redeem-ended',
      'session-store/find-aborted',
      'session-store/lets-go',
      'session-store/unreachable',
    ]),
  },
  saboteur(
    'session-store/offer',
    'every link is for the account of the first',
    () => {
      let first: AccountId | undefined;
      return (store) => ({
        offer: (link, events) => {
          first ??= link.account;
          return store.offer({ ...link, account: first }, events);
        },
      });
    },
    ['session-store/redeem-once', 'session-store/find-many'],
  ),
  saboteur(
    'session-store/redeem-once',
    'redeeming looks first and writes later',
    () => {
      let seen: ReturnType<SessionStore['redeem']> | undefined;
      return (store) => ({
        redeem: async (request, events) => {
          seen ??= store.redeem(request, events);
          const outcome = await seen;
          await nextTurn();
          seen = undefined;
          if (outcome.kind === 'unknown') return outcome;
          const { account, actor, scope } = outcome.session;
          const session: Session = { ...request.session, account, actor, scope };
          const { ended } = await store.begin(session, [anEvent()]);
          return { kind: 'redeemed', session, ended };
        },
      });
    },
    ['session-store/find-many'],
  ),
  saboteur('session-store/redeem-ended', 'a link ends after its instant, not at it', () => (store) => ({
    redeem: (request, events) => store.redeem({ ...request, now: (request.now - 1) as Instant }, events),
  })),
  saboteur('session-store/begin', 'an empty name is taken for none', () => (store) => ({
    begin: (session, ...more) =>
      store.begin({ ...session, displayName: session.displayName || null }, ...more),
  })),
  saboteur('session-store/begin-limit', 'the account alone is bounded', () => (store) => ({
    begin: (session, events, limits) =>
      store.begin(session, events, limits && { ...limits, ofActor: limits.ofAccount }),
  })),
  saboteur('session-store/find', 'a session ends after its instant, not at it', () => (store) => ({
    find: (hash, now, signal) => store.find(hash, (now - 1) as Instant, signal),
  })),
  saboteur('session-store/find-aborted', 'the signal is not looked at', () => (store) => ({
    find: (hash, now) => store.find(hash, now),
  })),
  saboteur('session-store/list', 'a session ends after its instant, not at it', () => (store) => ({
    list: (query) => store.list({ ...query, now: (query.now - 1) as Instant }),
  })),
  saboteur('session-store/list-all', 'accounts are compared without case', () => (store) => ({
    list: async ({ account, limit, ...query }) => {
      const all = await store.list({ ...query, account: undefined, limit: MANY });
      const isOf = (one: AccountId): boolean => one.toLowerCase() === account?.toLowerCase();
      return all.filter((one) => account === undefined || isOf(one.account)).slice(0, limit);
    },
  })),
  saboteur('session-store/list-many', 'a page has 1,000 at most', () => (store) => ({
    list: (query) => store.list({ ...query, limit: Math.min(query.limit, 1_000) }),
  })),
  saboteur('session-store/same-question', 'each handle remembers what is not there', () => (store) => {
    const absent = new Set<Sha256>();
    return {
      find: async (hash, now, signal) => {
        signal?.throwIfAborted();
        const session = absent.has(hash) ? undefined : await store.find(hash, now, signal);
        if (session === undefined) absent.add(hash);
        return session;
      },
    };
  }),
  saboteur('session-store/refuse', 'a refused sign-in ends the sessions of its account', () => (store) => ({
    refuse: async (event, unlessSince) => {
      const query = { account: event.account, now: event.at, after: undefined, limit: MANY };
      for (const { tokenHash } of await store.list(query)) await store.end(tokenHash, []);
      await store.refuse(event, unlessSince);
    },
  })),
  saboteur('session-store/end', 'ending a session ends all of its account', () => {
    const begun = new Map<Sha256, Session>();
    return (store) => ({
      begin: async (session, ...more) => {
        begun.set(session.tokenHash, session);
        return await store.begin(session, ...more);
      },
      end: async (hash, events) => {
        const account = begun.get(hash)?.account;
        const own = [...begun.values()].filter((session) => session.account === account);
        for (const { tokenHash } of own) await store.end(tokenHash, events);
      },
    });
  }),
  saboteur(
    'session-store/purge',
    'the limit holds for sessions and for links each',
    () => (store) => ({
      purge: (endedBy, limit) => store.purge(endedBy, limit * 2),
    }),
    ['session-store/purge-many'],
  ),
  saboteur('session-store/purge-many', 'no more than 500 are dropped at a time', () => (store) => ({
    purge: (endedBy, limit) => store.purge(endedBy, Math.min(limit, 500)),
  })),
  saboteur('session-store/find-many', 'what is looked for at once is found for the first', () => (store) => {
    let looking: ReturnType<SessionStore['find']> | undefined;
    return {
      find: async (hash, now, signal) => {
        signal?.throwIfAborted();
        looking ??= nextTurn().then(() => store.find(hash, now));
        try {
          return await looking;
        } finally {
          looking = undefined;
        }
      },
    };
  }),
  saboteur(
    'session-store/lets-go',
    'a search goes on listening to its signal',
    () => (store) => ({
      find: (hash, now, signal) => {
        signal?.addEventListener('abort', () => undefined);
        return store.find(hash, now, signal);
      },
    }),
    ['session-store/find-aborted'],
  ),
  saboteur(
    'session-store/unreachable',
    'a store that does not answer has no session',
    () => (store) => ({
      find: (hash, now, signal) =>
        store.find(hash, now, signal).catch((error: unknown) => {
          if (isFault(error)) return undefined;
          throw error;
        }),
    }),
    ['session-store/find-aborted'],
  ),
];

export const sessionStoreSabotage: Sabotage<SessionStore, StoreSubject<SessionStore>> = {
  contract: sessionStoreContract,
  sound,
  saboteurs,
};
