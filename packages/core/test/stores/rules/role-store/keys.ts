import {
  type AccountId,
  accountId,
  after,
  days,
  type Fingerprint,
  type IdempotencyKey,
  type Instant,
  minutes,
  type Reservation,
  type RoleStore,
  type Warning,
} from '@pinfold/core';
import {
  anEvent,
  aPublication,
  aReservation,
  aToken,
  leaseOf,
  publishTo,
  START,
} from '@pinfold/test-contracts/fixtures';
import {
  aFingerprint,
  type ClauseTable,
  removeEnded,
  SIGNS,
  together,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';

const IN_A_MINUTE = after(START, minutes(1));

/** As long as an account or a key may be, without its last character. */
const LONG = 'x'.repeat(254);
const LONG_OF_TWO_BYTES = '\u00e9'.repeat(254);

const IN_KEYS = SIGNS.filter((sign) => /[ -~]/.test(sign));
const IN_ACCOUNTS = SIGNS.filter((sign) => isPrintable(sign));

/** Pairs that folding, trimming, cutting, normalizing, joining, decoding or counting would make equal. */
const DIFFERENT_KEYS: readonly (readonly [account: string, key: string])[] = [
  ...['key', 'KEY', 'key ', ' key', "key' OR '1'='1", '"key"', 'key\\', `${LONG}a`, `${LONG}b`].map(
    (key) => ['acme', key] as const,
  ),
  ...['Acme', 'acme ', 'acm\u00e9', 'acme\u0301', 'ac\u00adme', 'ac\u200dme']
    .concat([LONG, LONG_OF_TWO_BYTES].flatMap((long) => [`${long}a`, `${long}b`]))
    .map((account) => [account, 'key'] as const),
  ...IN_KEYS.flatMap((sign) => [`k${sign}y`, `b${sign}c`, `${sign}c`, `c${sign}`])
    .concat('k  y', 'k+ y', 'c..', 'c.,', 'k%20y', 'k&#32;y', '1', '01', '1.0', '1e0')
    .map((key) => ['a', key] as const),
  ...IN_ACCOUNTS.flatMap((sign) => [`a${sign}b`, `${sign}b`, `a${sign}`])
    .concat('assb', 'aSSb', 'afib')
    .map((account) => [account, 'c'] as const),
];

function isPrintable(sign: string): boolean {
  try {
    return accountId(sign) === sign;
  } catch {
    return false;
  }
}

function similarTo(fingerprint: Fingerprint): readonly Fingerprint[] {
  const cut = fingerprint.slice(0, -1);
  return [fingerprint.toUpperCase(), `${fingerprint} `, cut, aFingerprint(99), '%'] as Fingerprint[];
}

function aRequest(n: number, more: Partial<Reservation> = {}): Reservation {
  return aReservation(1, { token: aToken(n), ...more });
}

/** Fails unless a request with the same fingerprint is refused as in progress until the instant. */
async function expectHeldUntil(port: RoleStore, until: Instant, more: Partial<Reservation> = {}) {
  const outcome = await port.reserve(aRequest(999, more));
  expect(outcome).to.deep.equal({ kind: 'in_progress', until });
}

/** Not in the order of any of their members. */
const WARNINGS: readonly Warning[] = [
  { rule: 'broken_reference', path: 'a b/ïndex.html', target: '“über/ünï.css” 🧭' },
  { rule: 'absolute_reference', path: 'b.html', target: '/a.css' },
  // A target is cut after a number of code units, which may split a character.
  { rule: 'broken_reference', path: 'a.html', target: `${'x'.repeat(99)}\ud83e…` },
  { rule: 'broken_reference', path: 'a.html', target: 'again.css' },
  { rule: 'source_map', path: 'It\'s 100 % \\ "quoted".map' },
];

export const keyClauses: ClauseTable<RoleStore> = {
  'role-store/reserve-free: a free key is reserved; keys and accounts are compared exactly, and the same key of another account is another key':
    withPeer(async (port, peer) => {
      for (const [n, [account, key]] of DIFFERENT_KEYS.entries()) {
        const names = { account: account as AccountId, key: key as IdempotencyKey };
        const request = aReservation(n, names);
        const outcome = await (n % 2 === 0 ? port : peer).reserve(request);
        expect(outcome, `${account} / ${key}`).to.deep.include({ kind: 'reserved', lease: leaseOf(request) });
      }
    }),
  'role-store/reserve-mismatch: another fingerprint is a mismatch, in progress or complete, and changes nothing':
    async ({ port, peer }) => {
      const fingerprint = `${aFingerprint(1)}${'x'.repeat(2_000)}` as Fingerprint;
      const mine = aRequest(1, { fingerprint });
      await port.reserve(mine);
      const others = [port, await peer()].flatMap((store) =>
        similarTo(fingerprint).map((other, n) => ({
          store,
          request: aRequest(10 + n, { fingerprint: other }),
        })),
      );
      const expectMismatches = async () => {
        for (const { store, request } of others) {
          expect(await store.reserve({ ...request, until: after(START, days(1)) })).to.deep.equal({
            kind: 'mismatch',
          });
        }
      };
      await expectMismatches();
      await expectHeldUntil(port, IN_A_MINUTE, { fingerprint });
      expect(await port.commit(aPublication(1), leaseOf(mine), [anEvent()])).to.deep.equal({
        kind: 'committed',
      });
      await expectMismatches();
      expect(await port.reserve(aRequest(2, { fingerprint }))).to.deep.include({
        kind: 'complete',
        role: aPublication(1).role.id,
      });
    },
  'role-store/reserve-complete: a complete key always returns its role, and the stored warnings until the archive is removed':
    async ({ port, peer }) => {
      const publication = { ...aPublication(1), warnings: WARNINGS };
      await port.reserve(aRequest(1));
      await port.commit(publication, leaseOf(aRequest(1)), [anEvent()]);
      const complete = { kind: 'complete', role: publication.role.id, warnings: WARNINGS };
      const inAnAge = after(START, days(40_000));
      const later = await peer();
      for (const now of [START, IN_A_MINUTE, inAnAge]) {
        expect(await port.reserve(aRequest(2, { now }))).to.deep.equal(complete);
        expect(await later.reserve(aRequest(2, { now }))).to.deep.equal(complete);
      }
      await port.purge(inAnAge, 100);
      await removeEnded(port, inAnAge);
      const removed = { ...complete, warnings: [] };
      expect(await later.reserve(aRequest(4, { now: inAnAge })), 'after the cleanup').to.deep.equal(removed);
    },
  'role-store/reserve-again: a reservation returns whether its account exists; one that replaces a lost one is refused once the account is gone, and the key stays free':
    withPeer(async (port, other) => {
      const again = aReservation(1, { wasKnown: true });
      expect(await port.reserve(again)).to.deep.equal({ kind: 'account_gone' });
      expect(await other.reserve(aReservation(1))).to.include({ kind: 'reserved', isKnown: false });
      expect((await other.reserve(again)).kind, 'while another holds it').to.equal('in_progress');
      await publishTo(other, aPublication(2));
      await other.release(leaseOf(again));
      expect(await port.reserve(again)).to.include({ kind: 'reserved', isKnown: true });
    }),
  'role-store/reserve-race: of many concurrent calls exactly one reserves': async (subject) => {
    const rounds = [START, IN_A_MINUTE, after(IN_A_MINUTE, minutes(5))];
    for (const [round, now] of rounds.entries()) {
      const until = after(now, minutes(1));
      const outcomes = await together(subject, 30, (port, n) => {
        const fingerprint = aFingerprint(round === 2 ? n % 2 : 1);
        return port.reserve(aRequest(round * 100 + n, { now, until, fingerprint }));
      });
      const leases = outcomes.flatMap((outcome) => (outcome.kind === 'reserved' ? [outcome.lease] : []));
      expect(leases, `round ${round}`).to.have.lengthOf(1);
      const losers = round === 2 ? ['in_progress', 'mismatch'] : ['in_progress'];
      expect([...losers, 'reserved']).to.include.members(outcomes.map(({ kind }) => kind));
      for (const lease of leases) {
        expect(await subject.port.renew(lease, until), 'the winner').to.deep.equal({ kind: 'held' });
      }
    }
  },
};
