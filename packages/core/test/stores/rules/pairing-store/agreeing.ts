import {
  type AccountId,
  type ApiKeyId,
  after,
  before,
  type Consent,
  type Credential,
  duration,
  hours,
  type Instant,
  instant,
  minutes,
  type Sha256,
} from '@pinfold/core';
import {
  aConsent,
  anApiKey,
  anEvent,
  aRegistration,
  aSession,
  aTokenHash,
  START,
} from '@pinfold/test-contracts/fixtures';
import {
  aPairing,
  eventIds,
  inEachEra,
  recordedIds,
  type StoreClauses,
  together,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { NEARLY_ZERO_HASH, ZERO_HASH } from '../session-store/hashes.ts';
import type { PairingStores } from '../stores.ts';

const MOMENT = duration(1);
const REGISTERED = { kind: 'registered' };
const AGREED = { kind: 'agreed' };
const UNKNOWN = { kind: 'unknown' };
const FULL = { kind: 'full' };

/** The smallest and largest values of a consent. */
const CONSENTS: readonly Consent[] = [
  aConsent(1),
  aConsent(2, { account: ` Globex '"%_🧭` as AccountId, label: '', scopes: ['manage'] }),
  aConsent(3, { label: `Δ'"%_🧭${'a'.repeat(95)}`, actor: { kind: 'operator', id: null } }),
  aConsent(4, { session: aTokenHash(4), apiKey: 'AbC9' as ApiKeyId, scopes: ['pins:write', 'pins:read'] }),
];

const hashOf = (n: number): Sha256 => aRegistration(n).secretHash;

async function register({ pairings }: PairingStores, ...numbers: readonly number[]): Promise<void> {
  for (const n of numbers) await pairings.register(aRegistration(n));
}

const consentTo = async ({ pairings }: PairingStores, n: number): Promise<Consent | null | undefined> =>
  (await pairings.find(hashOf(n), START))?.consent;

export const agreeingClauses: StoreClauses<PairingStores> = {
  'pairing-store/register: every peer finds a registered program until it ends': withPeer(
    async (port, other) => {
      expect(await port.pairings.register(aRegistration(1))).to.deep.equal(REGISTERED);
      const last = instant(253_402_300_799_999);
      const now = before(last, minutes(10));
      const late = aRegistration(2, { secretHash: ZERO_HASH, now, endsAt: last });
      expect(await other.pairings.register(late)).to.deep.equal(REGISTERED);
      expect(await other.pairings.find(hashOf(1), START)).to.deep.equal(aPairing(1));
      const { secretHash, endsAt } = late;
      expect(await port.pairings.find(secretHash, now)).to.deep.equal({
        secretHash,
        endsAt,
        consent: null,
      });
      await port.pairings.agree(hashOf(1), aConsent(1), START, []);
      const again = aRegistration(1, { endsAt: after(START, hours(1)), limit: 0 });
      expect(await other.pairings.register(again), 'again').to.deep.equal(REGISTERED);
      expect(await port.pairings.find(hashOf(1), START)).to.deep.equal(aPairing(1, { consent: aConsent(1) }));
      const [ended, later] = [aPairing(1).endsAt, after(START, hours(1))];
      const anew = aRegistration(1, { now: ended, endsAt: later });
      expect(await other.pairings.register(anew), 'once it ended').to.deep.equal(REGISTERED);
      expect(await port.pairings.find(hashOf(1), ended)).to.deep.equal(aPairing(1, { endsAt: later }));
    },
  ),
  'pairing-store/register-limit: concurrent calls store as many pairings as the limit allows; ended ones do not count':
    async (subject) => {
      const soon = after(START, minutes(1));
      await subject.port.pairings.register(aRegistration(50, { endsAt: soon }));
      await subject.port.pairings.register(aRegistration(51));
      await subject.port.pairings.agree(hashOf(51), aConsent(1), START, []);
      const outcomes = await together(subject, 20, ({ pairings }, n) =>
        pairings.register(aRegistration(n, { now: soon, limit: 6 })),
      );
      expect(outcomes.filter(({ kind }) => kind === 'registered')).to.have.lengthOf(5);
      const other = await subject.peer();
      for (const [n, { kind }] of outcomes.entries()) {
        const isStored = (await other.pairings.find(hashOf(n), soon)) !== undefined;
        expect(isStored).to.equal(kind === 'registered');
      }
      const more = aRegistration(60, { now: soon, limit: 6 });
      expect(await other.pairings.register(more)).to.deep.equal(FULL);
      expect(await other.pairings.register({ ...more, limit: 7 })).to.deep.equal(REGISTERED);
    },
  'pairing-store/agree: every peer sees a consent, with every field, and its events': withPeer(
    async (port, other) => {
      const events = CONSENTS.map(() => anEvent({ type: 'key.agreed' }));
      await register(port, 0, 1, 2, 3, 9);
      for (const [n, consent] of CONSENTS.entries()) {
        const agreed = await port.pairings.agree(hashOf(n), consent, START, [events[n] ?? anEvent()]);
        expect(agreed).to.deep.equal(AGREED);
        expect(await other.pairings.find(hashOf(n), START)).to.deep.equal(aPairing(n, { consent }));
        expect(await consentTo(port, n)).to.deep.equal(consent);
      }
      expect(await consentTo(other, 9), 'another').to.equal(null);
      expect(await recordedIds(other)).to.deep.equal(eventIds(...events));
    },
  ),
  'pairing-store/agree-once: of many concurrent calls one stores its consent for a hash, which remains while its session and key are valid; the others leave no events':
    async (subject) => {
      const { port } = subject;
      await register(port, 1, 2, 3);
      const events = Array.from({ length: 20 }, () => anEvent());
      const outcomes = await together(subject, 20, ({ pairings }, n) =>
        pairings.agree(hashOf(1), aConsent(n), START, [events[n] ?? anEvent()]),
      );
      const winner = outcomes.findIndex(({ kind }) => kind === 'agreed');
      expect(outcomes.map(({ kind }) => kind).toSorted()).to.deep.equal([
        'agreed',
        ...Array<string>(19).fill('exists'),
      ]);
      const peer = await subject.peer();
      expect(await consentTo(peer, 1)).to.deep.equal(aConsent(winner));
      expect(await recordedIds(peer)).to.deep.equal(eventIds(events[winner] ?? anEvent()));
      const again = await peer.pairings.agree(hashOf(1), aConsent(winner, { label: 'Again' }), START, []);
      expect(again).to.deep.equal({ kind: 'exists' });
      expect(await consentTo(port, 1)).to.deep.equal(aConsent(winner));

      await port.sessions.begin(aSession(1), []);
      await port.apiKeys.create(anApiKey(1), []);
      const givers = [{ session: aTokenHash(1) }, { apiKey: anApiKey(1).id }];
      for (const [n, by] of givers.entries()) {
        await port.pairings.agree(hashOf(2 + n), aConsent(30 + n, by), START, []);
        expect(await peer.pairings.agree(hashOf(2 + n), aConsent(40), START, [])).to.deep.equal({
          kind: 'exists',
        });
      }
      await port.sessions.end(aTokenHash(1), []);
      await port.apiKeys.revoke(anApiKey(1).id, START, []);
      for (const n of [2, 3]) {
        expect(await peer.pairings.agree(hashOf(n), aConsent(50 + n), START, [])).to.deep.equal(AGREED);
        expect(await consentTo(port, n), 'once the other ended').to.deep.equal(aConsent(50 + n));
      }
    },
  'pairing-store/agree-replaces: a session has one consent, the last one; those of other sessions, accounts and actors remain':
    withPeer(async (port, other, subject) => {
      const [one, two] = [aTokenHash(1), aTokenHash(2)];
      for (const n of [1, 2]) await port.sessions.begin(aSession(n), []);
      const consents: readonly Consent[] = [
        aConsent(1, { session: one }),
        aConsent(1, { session: two }),
        aConsent(1),
        aConsent(2),
        aConsent(1, { account: 'globex' as AccountId }),
      ];
      await register(port, 0, 1, 2, 3, 4, 5, 6);
      for (const [n, consent] of consents.entries()) {
        await port.pairings.agree(hashOf(n), consent, START, []);
      }
      for (const [n, consent] of consents.entries()) {
        expect(await consentTo(other, n), `consent ${n}`).to.deep.equal(consent);
      }
      const [further, without] = [aConsent(1, { session: one, label: 'b' }), aConsent(1, { label: 'b' })];
      await other.pairings.agree(hashOf(5), further, START, []);
      await other.pairings.agree(hashOf(6), without, START, []);
      const remaining = [null, consents[1], null, consents[3], consents[4], further, without];
      for (const [n, consent] of remaining.entries()) {
        expect(await consentTo(port, n), `then ${n}`).to.deep.equal(consent);
      }
      await register(port, ...Array(20).keys());
      await port.sessions.begin(aSession(3), []);
      await together(subject, 12, ({ pairings }, n) =>
        pairings.agree(hashOf(7 + n), aConsent(3, { session: aTokenHash(3) }), START, []),
      );
      const open: unknown[] = [];
      for (let n = 7; n < 19; n += 1) open.push((await consentTo(port, n)) ?? undefined);
      expect(
        open.filter((consent) => consent !== undefined),
        'of many at once',
      ).to.have.lengthOf(1);
    }),
  'pairing-store/agree-credential: a consent is not stored once the key or session of its person has ended or is gone':
    withPeer(async (port, other) => {
      for (const n of [1, 2]) await port.apiKeys.create(anApiKey(n), []);
      for (const n of [1, 2]) await port.sessions.begin(aSession(n), []);
      await register(port, 1, 2);
      await other.apiKeys.revoke(anApiKey(2).id, START, []);
      await other.sessions.end(aTokenHash(2), []);
      const agree = (n: number, credential: Credential) =>
        port.pairings.agree(hashOf(n), aConsent(n), START, [anEvent()], credential);
      for (const credential of [
        { key: anApiKey(2).id },
        { session: aTokenHash(2) },
        { key: anApiKey(3).id, isKeyStored: true },
        { key: anApiKey(1).id, session: aTokenHash(3) },
      ]) {
        expect(await agree(1, credential)).to.deep.equal({ kind: 'refused', code: 'unauthorized' });
      }
      expect(await consentTo(other, 1)).to.equal(null);
      expect(await agree(1, { key: 'theirs' as ApiKeyId })).to.deep.equal(AGREED);
      const mine = { key: anApiKey(1).id, isKeyStored: true, session: aTokenHash(1) };
      expect(await agree(2, mine)).to.deep.equal(AGREED);
    }),
  'pairing-store/agree-unknown: a consent is not stored for a program that did not register or has ended':
    inEachEra(async (port, _, start) => {
      const endsAt = after(start, minutes(10));
      await port.pairings.register(aRegistration(1, { now: start, endsAt }));
      const agree = (n: number, now: Instant) =>
        port.pairings.agree(hashOf(n), aConsent(1), now, [anEvent()]);
      expect(await agree(1, endsAt), 'at its end').to.deep.equal(UNKNOWN);
      expect(await agree(2, start)).to.deep.equal(UNKNOWN);
      expect(await port.pairings.find(hashOf(2), start)).to.equal(undefined);
      expect(await recordedIds(port)).to.deep.equal([]);
      expect(await agree(1, before(endsAt, MOMENT))).to.deep.equal(AGREED);
    }),
  'pairing-store/find: a pairing is found until it ends; hashes are compared exactly, and an unknown one is undefined':
    inEachEra(async (port, { pairings }, start) => {
      const endsAt = after(start, minutes(10));
      const pairing = aPairing(1, { secretHash: ZERO_HASH, endsAt });
      expect(await port.pairings.find(ZERO_HASH, start), 'none yet').to.equal(undefined);
      await port.pairings.register({ ...pairing, now: start, limit: 9 });
      expect(await pairings.find(ZERO_HASH, before(endsAt, MOMENT))).to.deep.equal(pairing);
      expect(await pairings.find(ZERO_HASH, endsAt), 'at its end').to.equal(undefined);
      for (const hash of NEARLY_ZERO_HASH) {
        expect(await pairings.find(hash, start), hash).to.equal(undefined);
      }
    }),
};
