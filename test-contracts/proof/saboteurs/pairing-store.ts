import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type ApiKey,
  type Consent,
  type Instant,
  instant,
  type PairingStore,
  type Sha256,
} from '@pinfold/core';
import { type PairingStores, pairingStoreContract, type StoreSubject } from '@pinfold/test-contracts';
import { replacing, START } from '@pinfold/test-contracts/fixtures';
import { memorySaboteurs, oneForAll, strangers } from './memory-saboteurs.ts';
import { clausesBut, type Sabotage, type Saboteur } from './sabotage.ts';

const { opening, sound, saboteur } = memorySaboteurs<PairingStores>((memory) => memory);

/** Breaks the port itself. */
const within =
  (spoil: (store: PairingStore, stores: PairingStores) => Partial<PairingStore>) =>
  () =>
  (stores: PairingStores) => ({
    pairings: replacing(stores.pairings, spoil(stores.pairings, stores)),
  });

/** One millisecond earlier. */
function earlier(now: Instant): Instant {
  return instant(now - 1);
}

const saboteurs: readonly Saboteur<StoreSubject<PairingStores>>[] = [
  {
    breaks: 'pairing-store/harness-apart',
    how: 'all subjects are over the same data',
    open: opening(oneForAll),
    alsoFails: ['pairing-store/agree-unknown', 'pairing-store/take-ended'],
  },
  {
    breaks: 'pairing-store/harness-peer',
    how: 'a peer opens data of its own',
    open: opening(strangers),
    alsoFails: clausesBut(pairingStoreContract, [
      'pairing-store/harness-apart',
      'pairing-store/agree-unknown',
      'pairing-store/take-ended',
      'pairing-store/unreachable',
    ]),
  },
  saboteur(
    'pairing-store/register',
    'a program that registered once never does again',
    within((store) => {
      const known = new Set<Sha256>();
      return {
        register: async (request) => {
          if (known.has(request.secretHash)) return { kind: 'registered' };
          known.add(request.secretHash);
          return await store.register(request);
        },
      };
    }),
  ),
  saboteur(
    'pairing-store/register-limit',
    'one more is kept than may be',
    within((store) => ({
      register: (request) => store.register({ ...request, limit: request.limit + 1 }),
    })),
  ),
  saboteur(
    'pairing-store/agree',
    'the label is trimmed to 50 characters',
    within((store) => ({
      agree: (hash, consent, ...more) =>
        store.agree(hash, { ...consent, label: consent.label.slice(0, 50) }, ...more),
    })),
  ),
  saboteur(
    'pairing-store/agree-once',
    'an agreement that comes too late is told of',
    within((store, { sessions }) => ({
      agree: async (hash, consent, now, events) => {
        const outcome = await store.agree(hash, consent, now, events);
        if (outcome.kind === 'exists') {
          for (const event of events) await sessions.refuse({ ...event, account: consent.account }, now);
        }
        return outcome;
      },
    })),
  ),
  saboteur(
    'pairing-store/agree-replaces',
    'a consent is found after it was replaced',
    within((store) => {
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
    ['pairing-store/agree', 'pairing-store/agree-once'],
  ),
  saboteur(
    'pairing-store/agree-unknown',
    'whoever agrees registers the program',
    within((store) => ({
      agree: async (secretHash, consent, now, events) => {
        const registration = { secretHash, endsAt: instant(now + 600_000), now, limit: 10_000 };
        await store.register(registration);
        return await store.agree(secretHash, consent, now, events);
      },
    })),
  ),
  saboteur(
    'pairing-store/find',
    'a pairing is found at its last instant, too',
    within((store) => ({ find: (secretHash, now) => store.find(secretHash, earlier(now)) })),
  ),
  saboteur(
    'pairing-store/take-once',
    'taking looks first and removes later',
    within((store, { apiKeys }) => ({
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
  ),
  saboteur(
    'pairing-store/take-ended',
    'a pairing is taken at its last instant, too',
    within((store) => ({
      take: (request, events) => store.take({ ...request, now: earlier(request.now) }, events),
    })),
    ['pairing-store/take-alive'],
  ),
  saboteur(
    'pairing-store/take-alive',
    'a session that ended gives keys on',
    () => (stores) => ({ sessions: replacing(stores.sessions, { end: async () => undefined }) }),
    ['pairing-store/agree-once'],
  ),
  saboteur(
    'pairing-store/take-refused',
    'a limit is not looked at',
    within((store) => ({ take: (request, events) => store.take({ ...request, limit: null }, events) })),
  ),
  saboteur(
    'pairing-store/purge',
    'the limit is for each call twice',
    within((store) => ({
      purge: async (endedBy, limit) =>
        (await store.purge(endedBy, limit)) + (await store.purge(endedBy, limit)),
    })),
  ),
  saboteur(
    'pairing-store/unreachable',
    'what cannot be looked up is not there',
    within((store) => ({ find: (secretHash, now) => store.find(secretHash, now).catch(() => undefined) })),
  ),
];

export const pairingStoreSabotage: Sabotage<PairingStores, StoreSubject<PairingStores>> = {
  contract: pairingStoreContract,
  sound,
  saboteurs,
};
