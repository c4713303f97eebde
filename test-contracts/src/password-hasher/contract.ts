import type { Password, PasswordHash, PasswordHasher } from '@pinfold/core';
import { parseGuess } from '@pinfold/core/internal';
import { expect } from 'chai';
import { type ClauseTable, type Contract, toClauses, withPeer } from '../contract.ts';
import { expectAbortedEarlyAndLate } from '../expect-aborts.ts';
import { rejectionOf } from '../rejection.ts';

/** Pairs of different passwords that an implementation could confuse. */
const APART: readonly (readonly [password: string, other: string])[] = [
  ['correct horse', 'correct horsf'],
  ['correct horse', 'Correct horse'],
  // A byte that ends C strings, and that pads the key of an HMAC.
  ['correct horse', 'correct horse\0'],
  ['correct\0horse', 'correct\0mouse'],
  // Longer than the 72 bytes that bcrypt reads, and the 64 that an HMAC uses unhashed.
  [`${'x'.repeat(72)}a`, `${'x'.repeat(72)}b`],
  [`${'パスワード'.repeat(4)}一二三四`, `${'パスワード'.repeat(4)}一二三五`],
  ['correct horse', 'correct horse '],
];

/** The client for whom passwords are hashed where it makes no difference. */
const CLIENT = '192.0.2.1';

/** More calls than may wait at once. */
const FLOOD = 200;

const NO_HASHES: readonly string[] = [
  '',
  'x',
  'correct horse',
  '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
  'A'.repeat(128),
  '\u{1f511}'.repeat(64),
];

function password(text: string): Password {
  const parsed = parseGuess(text);
  if (parsed === undefined) throw new TypeError('a fixture is no password');
  return parsed;
}

const clauses: ClauseTable<PasswordHasher> = {
  'password-hasher/verify: the password verifies against its hash, and no password with another byte does':
    withPeer(async (port, peer) => {
      for (const [text, other] of APART) {
        const what = JSON.stringify([text, other]);
        const hash = await port.hash(password(text), CLIENT);
        expect(await peer.verify(password(text), hash, CLIENT), what).to.equal(true);
        expect(await port.verify(password(other), hash, CLIENT), what).to.equal(false);
      }
    }),
  'password-hasher/salt: the same password has another hash each time, and no hash contains it': async ({
    port,
  }) => {
    const text = 'correct horse battery staple';
    const hashes = await Promise.all([port.hash(password(text), CLIENT), port.hash(password(text), CLIENT)]);
    expect(hashes[0]).to.not.equal(hashes[1]);
    for (const encoding of ['utf8', 'base64', 'base64url', 'hex'] as const) {
      const written = Buffer.from(text).toString(encoding).replaceAll('=', '').slice(0, 24);
      expect(hashes[0].includes(written), encoding).to.equal(false);
    }
  },
  'password-hasher/aborted: an aborted signal rejects with its reason': async ({ port }) => {
    const hash = await port.hash(password('correct horse'), CLIENT);
    await expectAbortedEarlyAndLate((signal) => port.hash(password('correct horse'), CLIENT, signal));
    await expectAbortedEarlyAndLate((signal) => port.verify(password('correct horse'), hash, CLIENT, signal));
    expect(await port.verify(password('correct horse'), hash, CLIENT), 'afterwards').to.equal(true);
  },
  'password-hasher/foreign: a text that is not a hash of this hasher is the fault store_corrupt': async ({
    port,
  }) => {
    const own = await port.hash(password('correct horse'), CLIENT);
    for (const text of [...NO_HASHES, own.slice(0, -1), `${own}A`, ` ${own}`, `${own}\n`]) {
      const verified = port.verify(password('correct horse'), text as PasswordHash, CLIENT);
      expect(await rejectionOf(verified), JSON.stringify(text)).to.have.property('code', 'store_corrupt');
    }
  },
  'password-hasher/turns: a client that brings many passwords at once neither delays another by all of them, nor makes it refused':
    async ({ port }) => {
      const hash = await port.hash(password('correct horse'), CLIENT);
      let hashed = 0;
      const flood = Array.from({ length: FLOOD }, async () => {
        await port.verify(password('correct horse'), hash, CLIENT);
        hashed += 1;
      });
      const floodEnded = Promise.allSettled(flood);
      await port.verify(password('correct horse'), hash, '192.0.2.2');
      const before = hashed;
      await floodEnded;
      expect(before, 'of the flood are hashed first').to.be.below(hashed / 2);
      const settings = Array.from({ length: FLOOD }, () => port.hash(password('correct horse'), 'flood'));
      const settingsEnded = Promise.allSettled(settings);
      expect(await port.hash(password('correct horse'), 'other')).to.be.a('string');
      await settingsEnded;
    },
};

/** The promises of {@link PasswordHasher}. Use the lowest cost that it accepts: the contract hashes hundreds of times. */
export const passwordHasherContract: Contract<PasswordHasher> = {
  port: 'PasswordHasher',
  harness: [],
  clauses: toClauses(clauses),
};
