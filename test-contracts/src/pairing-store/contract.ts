import {
  type AccountId,
  after,
  before,
  duration,
  hours,
  instant,
  minutes,
  type Pairing,
  type PairingStore,
  type Sha256,
} from '@pinfold/core';
import { expect } from 'chai';
import type { Clause, Contract, StoreSubject } from '../contract.ts';
import { inEachEra } from '../eras.ts';
import { expectFaults } from '../faults.ts';
import { START } from '../fixtures/clock.ts';
import { aPairing } from '../fixtures/pairings.ts';
import { harnessClauses } from '../harness.ts';
import { together } from '../together.ts';

type PairingClause = Clause<PairingStore, StoreSubject<PairingStore>>;

const MOMENT = duration(1);

/** Values at the ends of what a pairing may hold. */
const PAIRINGS: readonly Pairing[] = [
  aPairing(1),
  aPairing(2, { account: ` Globex '"%_🧭` as AccountId, label: '', scopes: ['manage'] }),
  aPairing(3, { label: `Δ'"%_🧭${'a'.repeat(95)}`, actor: { kind: 'operator', id: null } }),
  aPairing(4, { secretHash: '0e1'.padEnd(64, '0') as Sha256, endsAt: instant(253_402_300_799_999) }),
];

/** Hashes that a comparison as numbers, without case or by prefix would take for that of `PAIRINGS[3]`. */
const NEARLY_ONE_HASH = ['0E1'.padEnd(64, '0'), '0e2'.padEnd(64, '0'), '0e1'.padEnd(63, '0'), '0', '', '%'];

const clauses: readonly PairingClause[] = [
  {
    id: 'pairing-store/agree',
    says: 'a pairing is there for every peer, every field as it was given',
    check: async ({ port, peer }) => {
      const other = await peer();
      for (const pairing of PAIRINGS) {
        expect(await port.agree(pairing)).to.deep.equal({ kind: 'agreed' });
        expect(await other.find(pairing.secretHash, START)).to.deep.equal(pairing);
        expect(await port.find(pairing.secretHash, START)).to.deep.equal(pairing);
      }
    },
  },
  {
    id: 'pairing-store/agree-once',
    says: 'of many at once one is kept for a hash, and it stays as it is until it is taken or purged',
    check: async (subject) => {
      const outcomes = await together(subject, 20, (store, n) =>
        store.agree(aPairing(1, { label: `by ${n}` })),
      );
      const kept = outcomes.findIndex(({ kind }) => kind === 'agreed');
      expect(outcomes.filter(({ kind }) => kind === 'agreed')).to.have.lengthOf(1);
      const peer = await subject.peer();
      const { secretHash, endsAt } = aPairing(1);
      expect((await peer.find(secretHash, START))?.label).to.equal(`by ${kept}`);
      expect(await peer.agree(aPairing(1, { endsAt: after(endsAt, hours(1)) }))).to.deep.equal({
        kind: 'exists',
      });
      expect((await subject.port.find(secretHash, START))?.label).to.equal(`by ${kept}`);
      await peer.take(secretHash, START);
      expect(await subject.port.agree(aPairing(1)), 'once it is taken').to.deep.equal({ kind: 'agreed' });
    },
  },
  {
    id: 'pairing-store/find',
    says: 'a pairing is found until its instant has come; hashes are compared exactly, and an unknown one is undefined',
    check: async (_, another) =>
      inEachEra(another, async ({ port, peer }, start) => {
        const other = await peer();
        const endsAt = after(start, minutes(10));
        const pairing = { ...(PAIRINGS[3] as Pairing), endsAt };
        expect(await port.find(pairing.secretHash, start), 'none yet').to.equal(undefined);
        await port.agree(pairing);
        expect(await other.find(pairing.secretHash, before(endsAt, MOMENT))).to.deep.equal(pairing);
        expect(await other.find(pairing.secretHash, endsAt), 'at its end').to.equal(undefined);
        for (const hash of NEARLY_ONE_HASH) {
          expect(await other.find(hash as Sha256, start), hash).to.equal(undefined);
        }
      }),
  },
  {
    id: 'pairing-store/take-once',
    says: 'of many at once exactly one takes a pairing, every field as it was given, and it is gone for every peer',
    check: async (subject) => {
      const { secretHash } = aPairing(1);
      await subject.port.agree(aPairing(1));
      await subject.port.agree(aPairing(2));
      const taken = await together(subject, 20, (store) => store.take(secretHash, START));
      expect(taken.filter((pairing) => pairing !== undefined)).to.deep.equal([aPairing(1)]);
      const peer = await subject.peer();
      expect(await peer.take(secretHash, START), 'later').to.equal(undefined);
      expect(await peer.find(secretHash, START)).to.equal(undefined);
      expect(await peer.take(aPairing(2).secretHash, START), 'another').to.deep.equal(aPairing(2));
    },
  },
  {
    id: 'pairing-store/take-ended',
    says: 'a pairing whose instant has come, or that nobody agreed to, is undefined',
    check: async (_, another) =>
      inEachEra(another, async ({ port }, start) => {
        const endsAt = after(start, minutes(10));
        await port.agree(aPairing(1, { endsAt }));
        for (const [n, now] of [
          [1, endsAt],
          [1, after(endsAt, MOMENT)],
          [9, start],
        ] as const) {
          expect(await port.take(aPairing(n).secretHash, now)).to.equal(undefined);
        }
        const { secretHash } = aPairing(1);
        expect(await port.take(secretHash, before(endsAt, MOMENT))).to.deep.equal(aPairing(1, { endsAt }));
      }),
  },
  {
    id: 'pairing-store/purge',
    says: 'what ended goes, at most the limit, and what has not ended stays',
    check: async ({ port, peer }) => {
      const other = await peer();
      const soon = after(START, minutes(5));
      for (const n of [1, 2, 3]) await port.agree(aPairing(n, { endsAt: soon }));
      await port.agree(aPairing(4, { endsAt: after(soon, MOMENT) }));
      expect(await other.purge(before(soon, MOMENT), 100), 'too early').to.equal(0);
      expect(await other.purge(soon, 2), 'the limit').to.equal(2);
      expect(await port.purge(soon, 100), 'the rest').to.equal(1);
      expect(await port.purge(soon, 100), 'nothing left').to.equal(0);
      for (const n of [1, 2, 3]) expect(await port.find(aPairing(n).secretHash, START)).to.equal(undefined);
      expect(await other.find(aPairing(4).secretHash, START)).not.to.equal(undefined);
    },
  },
  {
    id: 'pairing-store/unreachable',
    says: 'while the database does not answer, every call rejects with the fault store_unavailable and what caused it',
    check: async ({ unreachable }) => {
      const port = await unreachable();
      const { secretHash } = aPairing(1);
      const calls: Readonly<Record<keyof PairingStore, Promise<unknown>>> = {
        agree: port.agree(aPairing(1)),
        find: port.find(secretHash, START),
        take: port.take(secretHash, START),
        purge: port.purge(START, 10),
      };
      await expectFaults('store_unavailable', calls);
    },
  },
];

/** What every {@link PairingStore} promises. */
export const pairingStoreContract: Contract<PairingStore, StoreSubject<PairingStore>> = {
  port: 'PairingStore',
  harness: harnessClauses('pairing-store', {
    write: async (port, n) => {
      await port.agree(aPairing(n));
    },
    sees: async (port, n) => (await port.find(aPairing(n).secretHash, START)) !== undefined,
  }),
  clauses,
};
