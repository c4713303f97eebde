import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Instant, instant, type PairingStore } from '@pinfold/core';
import { pairingStoreContract, type StoreSubject } from '@pinfold/test-contracts';
import { memorySaboteurs, oneForAll, strangers } from './memory-saboteurs.ts';
import { clausesBut, type Sabotage, type Saboteur } from './sabotage.ts';

const { opening, sound, saboteur } = memorySaboteurs<PairingStore>(({ pairings }) => pairings);

/** One millisecond earlier. */
function earlier(now: Instant): Instant {
  return instant(now - 1);
}

const saboteurs: readonly Saboteur<StoreSubject<PairingStore>>[] = [
  {
    breaks: 'pairing-store/harness-apart',
    how: 'all subjects are over the same data',
    open: opening(oneForAll),
    alsoFails: ['pairing-store/find'],
  },
  {
    breaks: 'pairing-store/harness-peer',
    how: 'a peer opens data of its own',
    open: opening(strangers),
    alsoFails: clausesBut(pairingStoreContract, [
      'pairing-store/harness-apart',
      'pairing-store/take-ended',
      'pairing-store/unreachable',
    ]),
  },
  saboteur('pairing-store/agree', 'the label is trimmed to 50 characters', () => (store) => ({
    agree: (pairing) => store.agree({ ...pairing, label: pairing.label.slice(0, 50) }),
  })),
  saboteur('pairing-store/agree-once', 'the last one counts', () => (store) => ({
    agree: async (pairing) => {
      await store.take(pairing.secretHash, instant(0));
      return await store.agree(pairing);
    },
  })),
  saboteur('pairing-store/find', 'a pairing is found at its last instant, too', () => (store) => ({
    find: (secretHash, now) => store.find(secretHash, earlier(now)),
  })),
  saboteur('pairing-store/take-once', 'taking looks first and removes later', () => (store) => ({
    take: async (secretHash, now) => {
      const pairing = await store.find(secretHash, now);
      await nextTurn();
      await store.take(secretHash, now);
      return pairing;
    },
  })),
  saboteur('pairing-store/take-ended', 'a pairing is taken at its last instant, too', () => (store) => ({
    take: (secretHash, now) => store.take(secretHash, earlier(now)),
  })),
  saboteur('pairing-store/purge', 'the limit is for each call twice', () => (store) => ({
    purge: async (endedBy, limit) =>
      (await store.purge(endedBy, limit)) + (await store.purge(endedBy, limit)),
  })),
  saboteur('pairing-store/unreachable', 'what cannot be looked up is not there', () => (store) => ({
    find: (secretHash, now) => store.find(secretHash, now).catch(() => undefined),
  })),
];

export const pairingStoreSabotage: Sabotage<PairingStore, StoreSubject<PairingStore>> = {
  contract: pairingStoreContract,
  sound,
  saboteurs,
};
