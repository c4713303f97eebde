import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type ApiKey,
  type Consent,
  instant,
  type PairingRedemption,
  type PairingStore,
  type Registration,
  type Sha256,
} from '@pinfold/core';
import { type PairingStores, pairingStoreContract, type StoreSubject } from '@pinfold/test-contracts';
import { START } from '@pinfold/test-contracts/fixtures';
import { derived, type PortShape, part } from './derive.ts';
import type { Fields } from './distortions.ts';
import type { Mutant } from './mutant.ts';
import { overMemory, type StoreTable } from './over-memory.ts';
import { API_KEY, CONSENT, EVENTS, PAIRING } from './records.ts';

const { mutant, table } = overMemory<PairingStores>((memory) => memory);
const ofSessions = part(mutant, 'sessions');

const REGISTRATION: Fields<Registration> = {
  secretHash: 'hash',
  endsAt: 'instant',
  now: 'instant',
  limit: 'count',
};
const REDEMPTION: Fields<PairingRedemption> = {
  secretHash: 'hash',
  now: 'instant',
  key: {
    id: 'id',
    secretHash: 'hash',
    createdAt: 'instant',
    lastUsedAt: 'instant',
    revokedAt: 'instant',
    isEnsured: 'flag',
  },
  limit: 'count',
};

const shape: PortShape<PairingStore> = {
  methods: {
    register: {
      takes: { request: REGISTRATION },
      answers: { kind: 'choice' },
      early: { value: { kind: 'registered' } },
      clauses: 'unreachable register register-limit',
      untested: 'caches takes.request.now.{later,seconds}',
    },
    agree: {
      takes: { secretHash: 'hash', consent: CONSENT, now: 'instant', events: EVENTS },
      answers: { kind: 'choice' },
      early: { value: { kind: 'agreed' } },
      clauses: 'unreachable agree agree-unknown agree-once agree-replaces take-alive',
      untested: [
        'caches takes.consent.account.{composed,cut,numeric} takes.consent.apiKey.ended',
        'takes.consent.label.{composed,numeric,trimmed} takes.events.{list-first,list-reversed}',
      ],
      tested: 'repeats',
    },
    find: {
      takes: { secretHash: 'hash', now: 'instant' },
      answers: PAIRING,
      clauses: 'unreachable agree find same-question register agree-replaces',
      untested: [
        'answers.consent.account.{composed,cut,numeric} answers.consent.apiKey.{ended,stuck}',
        'answers.consent.label.{composed,numeric,trimmed}',
      ],
    },
    take: {
      takes: { request: REDEMPTION, events: EVENTS },
      answers: { kind: 'choice', key: API_KEY },
      early: { value: { kind: 'unknown' } },
      clauses: 'unreachable take-once take-ended take-refused',
      untested: [
        'answers.key.account.{composed,cut,numeric} answers.key.id.ended',
        'answers.key.isEnsured.lowered answers.key.{label,lastUsedAt,revokedAt} caches',
        'takes.events.{list-first,list-reversed} takes.request.key.id.ended',
        'takes.request.key.isEnsured.lowered takes.request.key.{lastUsedAt,revokedAt}',
      ],
      tested: 'answers.key.label.{lost,lowered,raised,stuck} repeats',
    },
    purge: {
      takes: { endedBy: 'instant', limit: 'count' },
      answers: 'count',
      clauses: 'unreachable purge',
      untested: 'shares takes.endedBy.seconds',
      tested: 'repeats',
    },
  },
  confusions: {
    clauses: 'take-once take-alive find',
    untested: '*',
    tested: 'apiKey.cut id.cut secretHash session.{cut,nearly}',
  },
};

const ofPairings = part(mutant, 'pairings');

const stories: readonly Mutant<StoreSubject<PairingStores>>[] = [
  ofPairings('register', 'a program that registered once never does again', () => (store) => {
    const known = new Set<Sha256>();
    return {
      register: async (request) => {
        if (known.has(request.secretHash)) return { kind: 'registered' };
        known.add(request.secretHash);
        return await store.register(request);
      },
    };
  }),
  ofPairings(
    'agree-once',
    'an agreement that comes too late leaves its events',
    () =>
      (store, { sessions }) => ({
        agree: async (hash, consent, now, events) => {
          const outcome = await store.agree(hash, consent, now, events);
          if (outcome.kind === 'exists') {
            for (const event of events) await sessions.refuse({ ...event, account: consent.account }, now);
          }
          return outcome;
        },
      }),
  ),
  ofPairings('agree-replaces', 'a consent is found after it was replaced', () => (store) => {
    const given = new Map<Sha256, Consent>();
    return {
      agree: async (hash, consent, ...more) => {
        const outcome = await store.agree(hash, consent, ...more);
        if (outcome.kind === 'agreed') given.set(hash, consent);
        return outcome;
      },
      find: async (hash, now) => {
        const pairing = await store.find(hash, now);
        const isOpen = pairing !== undefined && pairing.endsAt > now && now === START;
        return isOpen ? { ...pairing, consent: given.get(hash) ?? null } : pairing;
      },
    };
  }),
  ofPairings('agree-unknown', 'whoever agrees registers the program', () => (store) => ({
    agree: async (secretHash, consent, now, events) => {
      await store.register({ secretHash, endsAt: instant(now + 600_000), now, limit: 10_000 });
      return await store.agree(secretHash, consent, now, events);
    },
  })),
  ofPairings('take-once', 'taking looks first and removes later', () => (store, { apiKeys }) => ({
    take: async (request, events) => {
      const pairing = await store.find(request.secretHash, request.now);
      await nextTurn();
      const outcome = await store.take(request, events);
      const consent = pairing?.consent ?? null;
      if (outcome.kind !== 'unknown' || consent === null) return outcome;
      const { account, scopes, label } = consent;
      const key: ApiKey = { ...request.key, account, scopes, label };
      await apiKeys.create(key, []);
      return { kind: 'created', key };
    },
  })),
  ofSessions('take-alive', 'a session that ended still gives keys', () => () => ({
    end: async () => undefined,
  })),
  ofPairings('purge', 'the limit is applied twice', () => (store) => ({
    purge: async (endedBy, limit) =>
      (await store.purge(endedBy, limit)) + (await store.purge(endedBy, limit)),
  })),
];

export const pairingStoreTable: StoreTable<PairingStores> = table(pairingStoreContract, [
  ...derived(shape, ofPairings),
  ...stories,
]);
