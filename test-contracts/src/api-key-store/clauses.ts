import {
  type AccountId,
  type ApiKey,
  type ApiKeyId,
  type ApiKeyStore,
  type Authority,
  after,
  days,
  duration,
  type Instant,
  instant,
  minutes,
  type Sha256,
} from '@pinfold/core';
import { expect } from 'chai';
import { together } from '../concurrently.ts';
import { type ClauseTable, type Subject, withPeer } from '../contract.ts';
import { expectApart } from '../expect-apart.ts';
import { NEARLY_ONE_ACCOUNT } from '../fixtures/accounts.ts';
import { START } from '../fixtures/clock.ts';
import { anApiKey, anApiKeyId, everyKeyOf, newestKeyFirst } from '../fixtures/credentials.ts';
import { everyText } from '../fixtures/near-texts.ts';
import { anEvent } from '../fixtures/roles.ts';

/** Fails unless each key exists once it was created, and not before, among similar keys. */
async function expectCreated({ port, peer }: Subject<ApiKeyStore>, keys: readonly ApiKey[]): Promise<void> {
  const other = await peer();
  const write = async (key: ApiKey) => expect(await port.create(key, []), key.label).to.deep.equal(CREATED);
  await expectApart(keys, { write, read: ({ id }) => other.find(id) });
}

const CREATED = { kind: 'created' };
const EXISTS = { kind: 'exists' };

const AUTHORITIES: readonly (Authority | undefined)[] = [undefined, 'account', 'operator'];

/** Minimum and maximum values of a key's members, and texts that stores may change. */
const KEYS: readonly ApiKey[] = [
  anApiKey(1, { scopes: ['pins:read'], label: '' }),
  anApiKey(2, { scopes: ['pins:write', 'pins:read'], label: ` Ünï  🧭 e\u0301 ''""\\\\%%__\n null ` }),
  anApiKey(3, { scopes: [], label: `${'x'.repeat(20_000)} .`, createdAt: instant(253_402_300_799_999) }),
  anApiKey(4, {
    account: `Δ 🧭 e\u0301${'a'.repeat(249)}` as AccountId,
    secretHash: '0e1'.padEnd(64, '0') as Sha256,
    createdAt: instant(1),
    lastUsedAt: instant(4_294_967_296_001),
    revokedAt: instant(2),
  }),
  anApiKey(5, { id: 'an id of many signs' as ApiKeyId }),
  anApiKey(6, { createdAt: instant(0), lastUsedAt: instant(0), revokedAt: instant(0), isEnsured: true }),
];

/** Ids that wrong comparisons treat as equal (by case, as numbers, trimmed, truncated), and names of object members. */
const NEARLY_ONE_ID = [
  ...['AbC', 'aBc', 'ABC', 'abc', 'ab', 'ab%', 'ab_', 'abc ', 'a%c', 'a_c', '7', '007', '1000', '1e3'],
  ...['1', '2'].map((end) => end.padStart(32, 'a')),
  'constructor',
] as ApiKeyId[];

export const apiKeyClauses: ClauseTable<ApiKeyStore> = {
  'api-key-store/create: a created key is visible to every peer, with every field': withPeer(
    async (port, other, _, another) => {
      for (const key of KEYS) {
        expect(await port.create(key, [anEvent()])).to.deep.equal(CREATED);
        expect(await other.find(key.id)).to.deep.equal(key);
        expect(await port.find(key.id)).to.deep.equal(key);
      }
      for (const [n, authority] of AUTHORITIES.entries()) {
        const key = anApiKey(10 + n);
        expect(await port.create(key, [anEvent()], authority)).to.deep.equal(CREATED);
        expect(await other.find(key.id), `by ${authority}`).to.deep.equal(key);
      }
      const keys = everyText.map((text, n) => anApiKey(n, { account: text as AccountId, label: text }));
      await expectCreated(await another(), keys);
    },
  ),
  'api-key-store/create-exists: creating a key whose id is taken, even by a revoked key, changes nothing; ids are compared exactly, and of many concurrent calls one creates':
    withPeer(async (port, other, subject, another) => {
      for (const [n, key] of KEYS.entries()) {
        const events = [anEvent()];
        await port.create(key, events);
        expect(await port.create(key, events), 'the same again').to.deep.equal(EXISTS);
        const stored = await port.find(key.id);
        const rival = { ...anApiKey(n, { account: 'globex' as AccountId, label: 'another' }), id: key.id };
        for (const authority of AUTHORITIES) {
          for (const late of [rival, key]) {
            expect(await other.create(late, [anEvent()], authority), late.label).to.deep.equal(EXISTS);
            expect(await port.find(key.id), `by ${authority}`).to.deep.equal(stored);
          }
        }
      }
      for (const id of NEARLY_ONE_ID) {
        expect(await port.create(anApiKey(2, { id, label: id }), [anEvent()]), id).to.deep.equal(CREATED);
      }
      for (const id of NEARLY_ONE_ID) expect((await other.find(id))?.label).to.equal(id);
      const keys = Array.from({ length: 20 }, (_, n) => anApiKey(9, { label: `save ${n}` }));
      const outcomes = await together(subject, keys.length, (store, n) =>
        store.create(keys[n] as ApiKey, [anEvent()]),
      );
      const created = keys.filter((_, n) => outcomes[n]?.kind === 'created');
      expect(created).to.have.lengthOf(1);
      expect(await port.find(anApiKeyId(9))).to.deep.equal(created[0]);
      const near = everyText.map((text, n) => anApiKey(n, { id: text as ApiKeyId }));
      await expectCreated(await another(), near);
    }),
  'api-key-store/first: of many concurrent calls exactly one creates the first key, and later calls create none; any stored key prevents it':
    async (subject, another) => {
      const keys = Array.from({ length: 20 }, (_, n) => anApiKey(n));
      const outcomes = await together(subject, keys.length, (store, n) =>
        store.createFirst(keys[n] as ApiKey, [anEvent()]),
      );
      const first = keys.filter((_, n) => outcomes[n]?.kind === 'created');
      expect(first).to.have.lengthOf(1);
      expect(await subject.port.list(everyKeyOf())).to.deep.equal(first);
      expect(await subject.port.createFirst(first[0] as ApiKey, [anEvent()]), 'the same').to.deep.equal(
        EXISTS,
      );
      await subject.port.revoke((first[0] as ApiKey).id, START, [anEvent()]);
      const late = anApiKey(50, { account: 'globex' as AccountId });
      expect(
        await (await subject.peer()).createFirst(late, [anEvent()]),
        'after a revoked one',
      ).to.deep.equal(EXISTS);
      expect(await subject.port.find(late.id)).to.equal(undefined);
      expect(await subject.port.createFirst(first[0] as ApiKey, [anEvent()]), 'again').to.deep.equal(EXISTS);
      const other = await another();
      expect(await other.port.list(everyKeyOf()), 'none yet').to.deep.equal([]);
      await (await other.peer()).create(anApiKey(1, { account: 'globex' as AccountId, revokedAt: START }), [
        anEvent(),
      ]);
      expect(await other.port.createFirst(anApiKey(2), [anEvent()]), 'after any other').to.deep.equal(EXISTS);
      for (const key of KEYS) {
        const { port } = await another();
        expect(await port.createFirst(key, [anEvent()]), key.label).to.deep.equal(CREATED);
        expect(await port.find(key.id)).to.deep.equal(key);
      }
    },
  'api-key-store/find-absent: an unknown id is undefined': withPeer(async (port, other) => {
    for (const id of NEARLY_ONE_ID) {
      expect(await other.find(id), id).to.equal(undefined);
      await port.create(anApiKey(1, { id }), [anEvent()]);
    }
    expect(await other.find('' as ApiKeyId), 'nothing').to.equal(undefined);
  }),
  'api-key-store/list: the list has all keys in order, ids by code unit, or exactly those of an account':
    withPeer(async (port, other, _, another) => {
      expect(await other.list(everyKeyOf())).to.deep.equal([]);
      const account = 'Acme' as AccountId;
      const sameTime = ['a1', 'B2', 'Z9', 'b0', '10', '9', 'A1', 'aB'].map((id, n) =>
        anApiKey(7, { id: id as ApiKeyId, ...(n % 2 === 0 ? { account } : {}) }),
      );
      const keys = [
        anApiKey(8),
        ...sameTime,
        ...NEARLY_ONE_ACCOUNT.map((name, n) => anApiKey(40 - n, { account: name })),
        anApiKey(6, { account, revokedAt: START }),
        anApiKey(3, { createdAt: instant(1_000) }),
        anApiKey(4, { createdAt: instant(999) }),
        anApiKey(2, { createdAt: after(START, days(1)), account }),
      ];
      for (const key of keys) await port.create(key, [anEvent()]);
      const ordered = keys.toSorted(newestKeyFirst);
      expect(await other.list(everyKeyOf())).to.deep.equal(ordered);
      for (const name of NEARLY_ONE_ACCOUNT) {
        const own = ordered.filter((key) => key.account === name);
        expect(await other.list(everyKeyOf(name)), name).to.deep.equal(own);
      }
      expect(await other.list(everyKeyOf('nobody' as AccountId))).to.deep.equal([]);
      const alone = await another();
      const others = await alone.peer();
      await expectApart(
        everyText.map((text, n) => {
          const [account, at] = [text as AccountId, instant(n)];
          return anApiKey(n, { account, label: text, lastUsedAt: at, revokedAt: at });
        }),
        {
          write: (key) => alone.port.create(key, []),
          read: (key) => others.list(everyKeyOf(key.account)),
          none: [],
          one: (key) => [key],
        },
      );
    }),
  'api-key-store/revoke: every peer sees a revocation at its next read; a second one does not change the instant, an unknown key is unknown, and a concurrent record of its use undoes nothing':
    withPeer(async (port, other, subject) => {
      await port.create(anApiKey(1), [anEvent()]);
      await port.create(anApiKey(2), [anEvent()]);
      expect(await other.find(anApiKeyId(1))).to.deep.include({ revokedAt: null });
      const at = after(START, minutes(1));
      expect(await port.revoke(anApiKeyId(1), at, [anEvent()])).to.deep.equal({ kind: 'revoked' });
      expect(await other.find(anApiKeyId(1))).to.deep.equal(anApiKey(1, { revokedAt: at }));
      for (const again of [START, after(at, days(1))]) {
        expect(await other.revoke(anApiKeyId(1), again, [anEvent()])).to.deep.equal({ kind: 'revoked' });
        expect(await port.find(anApiKeyId(1))).to.deep.equal(anApiKey(1, { revokedAt: at }));
      }
      const early = [anEvent()];
      expect(await port.revoke(anApiKeyId(3), at, early)).to.deep.equal({ kind: 'unknown' });
      expect(await port.list(everyKeyOf())).to.deep.equal([anApiKey(2), anApiKey(1, { revokedAt: at })]);
      await other.create(anApiKey(3), [anEvent()]);
      expect(await port.find(anApiKeyId(3)), 'unknown until then').to.deep.equal(anApiKey(3));
      expect(await port.revoke(anApiKeyId(3), at, early), 'known since').to.deep.equal({ kind: 'revoked' });
      const justUsed = anApiKey(6, { lastUsedAt: at });
      await port.create(justUsed, [anEvent()]);
      await port.revoke(justUsed.id, at, [anEvent()]);
      expect(await other.find(justUsed.id), 'as it is used').to.deep.equal({ ...justUsed, revokedAt: at });
      const used = anApiKey(4, { lastUsedAt: after(at, days(1)) });
      const [past, alike] = [instant(1), anApiKey(5, { secretHash: used.secretHash })];
      for (const key of [used, alike]) await port.create(key, [anEvent()]);
      await other.revoke(used.id, past, [anEvent()]);
      expect(await port.find(used.id), 'from before it was made').to.deep.equal({
        ...used,
        revokedAt: past,
      });
      expect(await port.find(alike.id), 'of the same secret').to.deep.equal(alike);
      await together(subject, 21, async (store, n) => {
        if (n === 10) await store.revoke(anApiKeyId(2), at, [anEvent()]);
        else await store.touch(anApiKeyId(2), after(START, duration(n)), after(START, duration(n)));
      });
      const lastUsedAt = after(START, duration(20));
      expect(await port.find(anApiKeyId(2))).to.deep.equal(anApiKey(2, { lastUsedAt, revokedAt: at }));
      for (const id of NEARLY_ONE_ID) await port.create(anApiKey(7, { id }), [anEvent()]);
      for (const id of NEARLY_ONE_ID) {
        expect(await port.find(id), `${id} after those like it`).to.deep.equal(anApiKey(7, { id }));
        await other.touch(id, at, START);
        await other.revoke(id, at, [anEvent()]);
        const done = anApiKey(7, { id, lastUsedAt: at, revokedAt: at });
        expect(await port.find(id), id).to.deep.equal(done);
      }
    }),
  'api-key-store/touch: use is recorded once until the instant has passed, and moves back only from over an hour ahead, which a wrong clock recorded':
    withPeer(async (port, other, subject) => {
      await port.create(anApiKey(1), [anEvent()]);
      await port.create(anApiKey(2), [anEvent()]);
      const expectUsed = async (lastUsedAt: Instant) =>
        expect(await other.find(anApiKeyId(1))).to.deep.equal(anApiKey(1, { lastUsedAt }));
      const noted = after(START, minutes(5));
      const later = after(noted, minutes(1));
      await port.touch(anApiKeyId(1), noted, START);
      await expectUsed(noted);
      await other.touch(anApiKeyId(1), later, (noted - 1) as Instant);
      await expectUsed(noted);
      await port.touch(anApiKeyId(1), later, noted);
      await expectUsed(later);
      await port.touch(anApiKeyId(1), noted, after(later, days(1)));
      await expectUsed(later);
      const instants = Array.from({ length: 20 }, (_, n) => after(later, duration((n * 7) % 20)));
      await together(subject, instants.length, (store, n) =>
        store.touch(anApiKeyId(1), instants[n] as Instant, after(later, days(1))),
      );
      await expectUsed(after(later, duration(19)));
      await port.touch(anApiKeyId(1), after(later, days(9)), START);
      await other.touch(anApiKeyId(1), after(later, duration(19)), START);
      await expectUsed(after(later, duration(19)));
      await port.touch(anApiKeyId(99), later, START);
      expect(await port.list(everyKeyOf())).to.deep.equal([
        anApiKey(2),
        anApiKey(1, { lastUsedAt: after(later, duration(19)) }),
      ]);
      await port.touch(anApiKeyId(2), noted, START);
      expect(await other.find(anApiKeyId(2)), 'another').to.deep.equal(anApiKey(2, { lastUsedAt: noted }));
      const revoked = anApiKey(3, { revokedAt: START });
      await port.create(revoked, [anEvent()]);
      await other.touch(revoked.id, noted, START);
      expect(await port.find(revoked.id), 'a revoked one').to.deep.equal({ ...revoked, lastUsedAt: noted });
    }),
};
