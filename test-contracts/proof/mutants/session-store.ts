import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Redemption, Session, SessionLimits, SessionQuery, SessionStore, Sha256 } from '@pinfold/core';
import { checkSessionStoreSequences, type StoreSubject, sessionStoreContract } from '@pinfold/test-contracts';
import { anEvent } from '@pinfold/test-contracts/fixtures';
import { derived, type PortShape } from './derive.ts';
import type { Fields } from './distortions.ts';
import type { Mutant } from './mutant.ts';
import { overMemory, type StoreTable } from './over-memory.ts';
import { EVENT, EVENTS, LINK, SESSION } from './records.ts';

const { mutant, table } = overMemory<SessionStore>(({ sessions }) => sessions);

const LIMITS: Fields<SessionLimits> = { ofActor: 'count', ofAccount: 'count' };
const REDEMPTION: Fields<Redemption> = { link: 'hash', now: 'instant', session: SESSION, limits: LIMITS };
const QUERY: Fields<SessionQuery> = { account: 'text', now: 'instant', after: 'hash', limit: 'count' };

const shape: PortShape<SessionStore> = {
  methods: {
    offer: {
      takes: { link: LINK, events: EVENTS },
      clauses: 'unreachable redeem-once redeem-ended offer find-many',
      untested: 'caches takes.events',
    },
    redeem: {
      takes: { request: REDEMPTION, events: EVENTS },
      answers: { kind: 'choice', session: SESSION, ended: 'count' },
      early: { value: { kind: 'unknown' } },
      clauses: 'unreachable redeem-once redeem-ended begin-limit offer sequences',
      untested: 'caches takes.events takes.request.session.{account,actor,scope}',
      tested: 'repeats',
    },
    begin: {
      takes: { session: SESSION, events: EVENTS, limits: LIMITS },
      answers: { ended: 'count' },
      early: { value: { ended: 0 } },
      clauses: 'unreachable list begin begin-limit end sequences',
      untested: 'caches takes.events',
    },
    find: {
      takes: { tokenHash: 'hash', now: 'instant', signal: 'signal' },
      answers: SESSION,
      clauses: 'unreachable end begin find same-question find-many lets-go find-aborted',
    },
    list: {
      takes: { query: QUERY },
      answers: [SESSION],
      clauses: 'unreachable list same-question list-all list-many',
      untested: 'answers.scope takes.query.now.seconds',
      tested: 'answers.list-capped takes.query.limit.capped',
    },
    end: {
      takes: { tokenHash: 'hash', events: EVENTS },
      clauses: 'unreachable end',
      untested: 'caches takes.events',
    },
    refuse: {
      takes: { event: EVENT, unlessSince: 'instant' },
      clauses: 'unreachable refuse',
      untested: 'caches shares takes takes.event.at.{later,seconds}',
      tested: 'takes.event.account.{lost,stuck} takes.event.at takes.event.id.{lost,stuck}',
    },
    purge: {
      takes: { endedBy: 'instant', limit: 'count' },
      answers: 'count',
      clauses: 'unreachable purge purge-many',
      untested: 'takes.endedBy.seconds',
      tested: 'answers.capped repeats takes.limit.capped',
    },
  },
  confusions: {
    clauses: 'begin find list-all',
    untested: 'account.quoted after.{cut,raised} displayName.quoted id link.raised pin',
  },
};

/** More sessions than any clause begins. */
const MANY = 100_000;

const stories: readonly Mutant<StoreSubject<SessionStore>>[] = [
  mutant('sequences', 'a session can be redeemed like a link', () => (store) => ({
    redeem: async (request, events) => {
      const outcome = await store.redeem(request, events);
      const old = await store.find(request.link, request.now);
      if (outcome.kind === 'redeemed' || old === undefined) return outcome;
      const { account, actor, scope } = old;
      const session = { ...request.session, account, actor, scope };
      await store.end(old.tokenHash, []);
      return { kind: 'redeemed', session, ...(await store.begin(session, [])) };
    },
  })),
  mutant('sequences', 'a session that starts in more than a day is not found', () => (store) => ({
    find: async (hash, now, signal) => {
      const session = await store.find(hash, now, signal);
      return session !== undefined && session.startedAt - now > 86_400_000 ? undefined : session;
    },
  })),
  mutant('sequences', 'a session ends only with an event', () => (store) => ({
    end: async (hash, events) => {
      if (events.length > 0) await store.end(hash, events);
    },
  })),
  mutant('begin-limit', 'a link begins a session past every limit', () => (store) => ({
    redeem: ({ limits: _, ...request }, events) => store.redeem(request, events),
  })),
  mutant('redeem-once', 'redeeming looks first and writes later', () => {
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
        return { kind: 'redeemed', session, ...(await store.begin(session, [anEvent()])) };
      },
    });
  }),

  mutant('begin', 'an empty name becomes null', () => (store) => ({
    begin: (session, ...more) =>
      store.begin({ ...session, displayName: session.displayName || null }, ...more),
  })),

  mutant('same-question', 'each handle caches that a session is absent', () => (store) => {
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
  mutant('refuse', 'a refused sign-in ends the sessions of its account', () => (store) => ({
    refuse: async (event, unlessSince) => {
      const query = { account: event.account, now: event.at, after: undefined, limit: MANY };
      for (const { tokenHash } of await store.list(query)) await store.end(tokenHash, []);
      await store.refuse(event, unlessSince);
    },
  })),
  mutant('end', 'ending a session ends all of its account', () => {
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
  mutant('find-many', 'concurrent finds all return the session of the first', () => (store) => {
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

export const sessionStoreTable: StoreTable<SessionStore> = table(
  sessionStoreContract,
  [...derived(shape, mutant), ...stories],
  {
    sequences: { check: checkSessionStoreSequences, runs: 600 },
  },
);
