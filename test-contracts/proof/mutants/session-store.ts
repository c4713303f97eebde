import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Redemption, Session, SessionQuery, SessionStore, Sha256 } from '@pinfold/core';
import { checkSessionStoreSequences, type StoreSubject, sessionStoreContract } from '@pinfold/test-contracts';
import { anEvent } from '@pinfold/test-contracts/fixtures';
import { derived, type PortShape } from './derive.ts';
import type { Fields } from './distortions.ts';
import type { Mutant, MutantTable } from './mutant.ts';
import { overMemory } from './over-memory.ts';
import { EVENT, EVENTS, LINK, SESSION } from './records.ts';

const { sound, mutant, harness } = overMemory<SessionStore>(({ sessions }) => sessions);

const REDEMPTION: Fields<Redemption> = { link: 'hash', now: 'instant', session: SESSION };
const QUERY: Fields<SessionQuery> = { account: 'text', now: 'instant', after: 'hash', limit: 'count' };

const shape: PortShape<SessionStore> = {
  suite: 'session-store',
  code: 'store_unavailable',
  methods: {
    offer: {
      takes: { link: LINK, events: EVENTS },
      early: { value: undefined },
      caught: { untested: '*' },
    },
    redeem: {
      takes: { request: REDEMPTION, events: EVENTS },
      answers: { kind: 'choice', session: SESSION },
      early: { value: { kind: 'unknown' } },
      caught: { untested: '*' },
    },
    begin: {
      takes: { session: SESSION, events: EVENTS },
      early: { value: undefined },
      caught: { untested: '*' },
    },
    find: {
      takes: { tokenHash: 'hash', now: 'instant', signal: 'signal' },
      answers: SESSION,
      early: { value: undefined },
      caught: { untested: '*' },
    },
    list: {
      takes: { query: QUERY },
      answers: [SESSION],
      early: { value: [] },
      caught: { untested: '*' },
    },
    end: {
      takes: { tokenHash: 'hash', events: EVENTS },
      early: { value: undefined },
      caught: { untested: '*' },
    },
    refuse: {
      takes: { event: EVENT, unlessSince: 'instant' },
      early: { value: undefined },
      caught: { untested: '*' },
    },
    purge: {
      takes: { endedBy: 'instant', limit: 'count' },
      answers: 'count',
      early: { value: 0 },
      caught: { untested: '*' },
    },
  },
};

/** More sessions than any clause begins. */
const MANY = 100_000;

const stories: readonly Mutant<StoreSubject<SessionStore>>[] = [
  mutant('session-store/redeem-once', 'redeeming looks first and writes later', () => {
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
        await store.begin(session, [anEvent()]);
        return { kind: 'redeemed', session };
      },
    });
  }),

  mutant('session-store/begin', 'an empty name becomes null', () => (store) => ({
    begin: (session, events) => store.begin({ ...session, displayName: session.displayName || null }, events),
  })),

  mutant('session-store/same-question', 'each handle caches that a session is absent', () => (store) => {
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
  mutant('session-store/refuse', 'a refused sign-in ends the sessions of its account', () => (store) => ({
    refuse: async (event, unlessSince) => {
      const query = { account: event.account, now: event.at, after: undefined, limit: MANY };
      for (const { tokenHash } of await store.list(query)) await store.end(tokenHash, []);
      await store.refuse(event, unlessSince);
    },
  })),
  mutant('session-store/end', 'ending a session ends all of its account', () => {
    const begun = new Map<Sha256, Session>();
    return (store) => ({
      begin: async (session, events) => {
        begun.set(session.tokenHash, session);
        await store.begin(session, events);
      },
      end: async (hash, events) => {
        const account = begun.get(hash)?.account;
        const own = [...begun.values()].filter((session) => session.account === account);
        for (const { tokenHash } of own) await store.end(tokenHash, events);
      },
    });
  }),
  mutant('session-store/purge', 'the limit holds for sessions and for links each', () => (store) => ({
    purge: (endedBy, limit) => store.purge(endedBy, limit * 2),
  })),
  mutant('session-store/purge-many', 'no more than 500 are dropped at a time', () => (store) => ({
    purge: (endedBy, limit) => store.purge(endedBy, Math.min(limit, 500)),
  })),
  mutant('session-store/find-many', 'concurrent finds all return the session of the first', () => (store) => {
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
];

export const sessionStoreTable: MutantTable<SessionStore, StoreSubject<SessionStore>> = {
  contract: sessionStoreContract,
  sequences: {
    'session-store/sequences': { check: checkSessionStoreSequences, runs: 600 },
  },
  sound,
  mutants: [...harness(shape.suite), ...derived(shape, mutant), ...stories],
};
