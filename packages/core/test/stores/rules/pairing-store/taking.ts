import {
  type AccountId,
  type ApiKey,
  type ApiKeyId,
  after,
  before,
  type Consent,
  duration,
  type Instant,
  minutes,
  type UnattributedEvent,
} from '@pinfold/core';
import {
  aConsent,
  anApiKey,
  anApiKeyId,
  anEvent,
  aPairingRedemption,
  aRegistration,
  aSession,
  aTokenHash,
  everyKeyOf,
  START,
} from '@pinfold/test-contracts/fixtures';
import {
  aPairing,
  BLOCK,
  changeAccount,
  inEachEra,
  overQuota,
  recordedEvents,
  type StoreClauses,
  together,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import type { PairingStores } from '../stores.ts';

const MOMENT = duration(1);
const WAITING = { kind: 'waiting' };
const UNKNOWN = { kind: 'unknown' };
const GLOBEX = 'globex' as AccountId;

const hashOf = (n: number) => aRegistration(n).secretHash;

/** An event whose account and actor the store fills in. */
function unattributed(): UnattributedEvent {
  const { account: _, actor: __, ...event } = anEvent({ type: 'key.created' });
  return event;
}

async function agree({ pairings }: PairingStores, n: number, consent: Consent): Promise<void> {
  await pairings.register(aRegistration(n));
  await pairings.agree(hashOf(n), consent, START, []);
}

function keyOf(n: number, { account, scopes, label }: Consent): ApiKey {
  return anApiKey(n, { account, scopes, label });
}

export const takingClauses: StoreClauses<PairingStores> = {
  'pairing-store/take-once: of many concurrent calls exactly one creates the key, with account, scopes and label of the consent, and events with its account and actor; then no peer finds the pairing':
    withPeer(async (port, peer, subject) => {
      const consent = aConsent(1, { account: ` Globex '"%_🧭` as AccountId, scopes: ['manage'] });
      await port.pairings.register(aRegistration(1));
      expect(await peer.pairings.take(aPairingRedemption(1), [unattributed()]), 'before').to.deep.equal(
        WAITING,
      );
      await agree(port, 1, consent);
      await agree(port, 2, aConsent(2));
      const event = unattributed();
      const outcomes = await together(subject, 20, ({ pairings }, n) => {
        const { key } = aPairingRedemption(10 + n);
        return pairings.take({ ...aPairingRedemption(1), key }, [{ ...event }]);
      });
      const winner = outcomes.findIndex(({ kind }) => kind === 'created');
      const key = keyOf(10 + winner, consent);
      expect(outcomes[winner]).to.deep.equal({ kind: 'created', key });
      for (const [n, outcome] of outcomes.entries()) if (n !== winner) expect(outcome).to.deep.equal(UNKNOWN);
      expect(await peer.apiKeys.list(everyKeyOf())).to.deep.equal([key]);
      expect((await peer.accounts.load(consent.account))?.value.name).to.equal(consent.account);
      const { account, actor } = consent;
      expect(await recordedEvents(peer)).to.deep.equal([{ ...event, account, actor }]);
      expect(await peer.pairings.find(hashOf(1), START)).to.equal(undefined);
      expect(await peer.pairings.take(aPairingRedemption(1), []), 'later').to.deep.equal(UNKNOWN);
      const another = await peer.pairings.take(aPairingRedemption(2), []);
      expect(another).to.deep.equal({ kind: 'created', key: keyOf(2, aConsent(2)) });
    }),
  'pairing-store/take-ended: a pairing that has ended, or was not registered, is unknown': inEachEra(
    async (port, _, start) => {
      const endsAt = after(start, minutes(10));
      await port.pairings.register(aRegistration(1, { now: start, endsAt }));
      await port.pairings.agree(hashOf(1), aConsent(1), start, []);
      const take = (n: number, now: Instant) => port.pairings.take(aPairingRedemption(n, { now }), []);
      expect(await take(1, endsAt)).to.deep.equal(UNKNOWN);
      expect(await take(1, after(endsAt, MOMENT))).to.deep.equal(UNKNOWN);
      expect(await take(9, start)).to.deep.equal(UNKNOWN);
      expect(await port.apiKeys.list(everyKeyOf())).to.deep.equal([]);
      expect((await take(1, before(endsAt, MOMENT))).kind).to.equal('created');
    },
  ),
  'pairing-store/take-alive: a consent whose session has ended, or whose key or key of the session was revoked, creates no key':
    withPeer(async (port, other) => {
      const soon = after(START, minutes(1));
      for (const n of [50, 51]) await port.apiKeys.create(anApiKey(n), []);
      const sessions = [
        aSession(1),
        aSession(2, { endsAt: soon }),
        aSession(3, { apiKey: anApiKeyId(50) }),
        aSession(4, { apiKey: anApiKeyId(51) }),
        aSession(5, { apiKey: 'gone' as ApiKeyId }),
        aSession(6),
      ];
      for (const session of sessions) await port.sessions.begin(session, []);
      const givers: readonly Partial<Consent>[] = [
        ...[1, 2, 3, 4, 5, 6].map((n) => ({ session: aTokenHash(n) })),
        { session: aTokenHash(9) },
        { apiKey: anApiKeyId(50) },
        { apiKey: anApiKeyId(51) },
        { session: aTokenHash(6), apiKey: anApiKeyId(50) },
        { apiKey: 'theirs' as ApiKeyId },
        {},
      ];
      for (const [n, by] of givers.entries()) {
        const actor = { kind: 'person', id: `person-${n}` } as const;
        await agree(port, n, aConsent(n, { ...by, actor }));
      }
      await other.sessions.end(aTokenHash(1), []);
      await other.apiKeys.revoke(anApiKeyId(50), START, []);
      const outcomes: string[] = [];
      for (const n of givers.keys()) {
        outcomes.push(
          (await port.pairings.take(aPairingRedemption(n, { now: soon }), [unattributed()])).kind,
        );
      }
      expect(outcomes).to.deep.equal([
        ...['waiting', 'waiting', 'waiting', 'created', 'waiting', 'created'],
        ...['waiting', 'waiting', 'created', 'waiting', 'created', 'created'],
      ]);
      expect(await recordedEvents(other)).to.have.lengthOf(5);
      expect(await other.pairings.find(hashOf(0), soon), 'one that waits').not.to.equal(undefined);
    }),
  'pairing-store/take-refused: a taken id, a reached limit, a blocked account and a read-only service create no key, and keep the pairing and its consent':
    withPeer(async (port, other) => {
      const consent = aConsent(1, { account: GLOBEX });
      await agree(port, 1, consent);
      for (const n of [7, 8]) await port.apiKeys.create(anApiKey(n, { account: GLOBEX }), []);
      await port.apiKeys.create(anApiKey(9), []);
      const before = await port.apiKeys.list(everyKeyOf());
      const expectRefused = async (
        more: Parameters<typeof aPairingRedemption>[1],
        expected: unknown,
      ): Promise<void> => {
        const outcome = await other.pairings.take(aPairingRedemption(1, more), [unattributed()]);
        expect(outcome).to.deep.equal(expected);
        expect(await port.pairings.find(hashOf(1), START)).to.deep.equal(aPairing(1, { consent }));
        expect(await port.apiKeys.list(everyKeyOf())).to.deep.equal(before);
      };
      await expectRefused({ key: aPairingRedemption(9).key }, { kind: 'exists' });
      await expectRefused({ limit: 2 }, overQuota('keys', 2, 3));
      await changeAccount(port.accounts, GLOBEX, { blocked: BLOCK }, []);
      await expectRefused({}, { kind: 'refused', code: 'account_blocked', reason: BLOCK.reason });
      await changeAccount(port.accounts, GLOBEX, { blocked: null }, []);
      await port.mode.change({ kind: 'read_only', message: 'We move.' }, []);
      await expectRefused({}, { kind: 'refused', code: 'read_only', message: 'We move.' });
      await port.mode.change({ kind: 'normal', message: null }, []);
      expect(await recordedEvents(other)).to.deep.equal([]);
      const made = await other.pairings.take(aPairingRedemption(1, { limit: 3 }), [unattributed()]);
      expect(made).to.deep.equal({ kind: 'created', key: keyOf(1, consent) });
    }),
  'pairing-store/purge: ended pairings are removed, at most the limit, and others remain': async ({
    port: { pairings },
    peer,
  }) => {
    const other = (await peer()).pairings;
    const soon = after(START, minutes(5));
    for (const n of [1, 2, 3]) await pairings.register(aRegistration(n, { endsAt: soon }));
    await pairings.agree(hashOf(1), aConsent(1), START, []);
    await pairings.register(aRegistration(4, { endsAt: after(soon, MOMENT) }));
    expect(await other.purge(before(soon, MOMENT), 100), 'too early').to.equal(0);
    expect(await other.purge(soon, 2), 'the limit').to.equal(2);
    expect(await pairings.purge(soon, 100), 'the rest').to.equal(1);
    expect(await pairings.purge(soon, 100), 'nothing left').to.equal(0);
    for (const n of [1, 2, 3]) expect(await pairings.find(hashOf(n), START)).to.equal(undefined);
    expect(await other.find(hashOf(4), START)).not.to.equal(undefined);
  },
};
