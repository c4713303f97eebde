import {
  type AttemptCounter,
  type AttemptTicket,
  after,
  type Instant,
  minutes,
  type RoleId,
} from '@pinfold/core';
import { expect } from 'chai';
import { type ClauseTable, type StoreSubject, withPeer } from '../contract.ts';
import { expectNothingLeft } from '../expect-aborts.ts';
import { START } from '../fixtures/clock.ts';
import { SIGNS } from '../fixtures/near-texts.ts';
import { aRoleId } from '../fixtures/roles.ts';
import { expectUnreachable } from '../rejection.ts';
import { admit, aTry, BUSY, fail, limitedUntil, WINDOW } from './tries.ts';

const ROLE = aRoleId(1);
const END: Instant = after(START, WINDOW);

/** Each list has similar addresses. */
const ADDRESSES = [
  ['192.0.2.1', '192.0.2.10', '192.0.2.01', '192.0.2.1 ', '1192.0.2.1', '192.0.2', 'from 192.0.2.1'],
  ['2001:db8::/64', '2001:DB8::/64', '2001:db8:1:2::/64', '2001:db8:1:3::/64', '2001:db8::/640', '::/64'],
  [100, 300].flatMap((length) => ['x', 'y', 'xx'].map((end) => `${'2001:db8:'.repeat(length / 10)}${end}`)),
  ['', ' ', '\t', '\n', '\0', '\u00a0', ':', '::', '%', '_', '\\'],
  ['\u{1f310}', '\u{1f311}', '\u{1f30f}', '\ufffd', '?', '', '\u{1f310}\ufe0f'],
  ['é', 'é'.normalize('NFD'), 'É', 'e', '１', '1', 'ﬁ', 'fi'],
  ['fe80::1%n\u00e9', 'fe80::1%ne\u0301', '2001:db8::/64', '2001:0db8:0:0::/64', '0\u0000', '0'],
  ['0', '00', '0.0', '-0', "'0", '"0"', "0'", 'null', 'undefined', '[]', '__proto__'],
  // Includes the end of a role, and texts that might mean all of them.
  ['x', `${ROLE.slice(-1)}x`, ':x', ROLE, '', '*', 'all', 'role', '-', 'NULL'],
  ['192.0.2.1', '192.0.2.1:80', '192.0.2.1, 192.0.2.2', '192.0.2.1/32', '::ffff:192.0.2.1', '192.0.2.001'],
  ['::1', '[::1]', '0:0:0:0:0:0:0:1', '::0001', '::1%1', '::1/64', '::1/56', '::01'],
];
/** Texts that are equal if a store decodes escapes, or writes a character as several. */
const SPELLED = 'a b ab assb aSSb afib aeb A %41 \\x41 \\u0041 &#65; a+b a%20b & &amp;'.split(' ');
const NETWORKS = ['fe80:1234:5678:9abc:def0:1234:5678:9abc', '2001:db8:1234:5678::/64', '198.51.100.223'];

export const manyClauses: ClauseTable<AttemptCounter, StoreSubject<AttemptCounter>> = {
  'attempt-counter/hundreds: limits of hundreds hold exactly, for one address and for all together': withPeer(
    async (port, other) => {
      const address = { perAddress: 1_030, perRole: Number.MAX_SAFE_INTEGER };
      const right = await admit(port, aTry(address));
      for (let n = 0; n < 1_029; n += 1) await fail(n % 2 === 0 ? port : other, aTry(address));
      expect(await port.begin(aTry(address)), 'the last of one address is under way').to.deep.equal(BUSY);
      await other.forgive(right);
      await fail(port, aTry(address));
      expect(await other.begin(aTry(address)), 'one address').to.deep.equal(limitedUntil(END));
      const role = { role: aRoleId(2), perAddress: 2 ** 32, perRole: 700 };
      const waiting: AttemptTicket[] = [];
      for (let n = 0; n < 699; n += 1) {
        waiting.push(await admit(port, aTry({ ...role, address: `visitor ${n}` })));
      }
      const last = await admit(other, aTry({ ...role, address: 'the last' }));
      expect(await port.begin(aTry({ ...role, address: 'one more' })), 'hundreds under way').to.deep.equal(
        BUSY,
      );
      const few = await other.begin(aTry({ ...role, address: 'one more', perRole: 20 }));
      expect(few, 'hundreds under way, and none wrong').to.deep.equal(BUSY);
      for (const ticket of waiting) await other.settle(ticket);
      expect(await port.begin(aTry({ ...role, address: 'one more' })), 'all together').to.deep.equal(BUSY);
      await port.settle(last);
      const limited = await port.begin(aTry({ ...role, address: 'one more' }));
      expect(limited, 'all together').to.deep.equal(limitedUntil(END));
    },
  ),
  'attempt-counter/addresses: addresses of any length are compared exactly, and so are roles': withPeer(
    async (port, other) => {
      const limits = { perAddress: 1 };
      const long = '2001:db8:0123:4567:89ab:cdef:0123:4567%'.repeat(6);
      const vast = 'x'.repeat(35_000);
      const further = [long, `${long}1`, `${long}2`, long.toUpperCase(), '::ffff:c000:201', '3221225985'];
      const near = [`${vast}${vast}`, `${vast}y${vast}`, `${vast}${vast}y`];
      for (const address of new Set([...further, ...near, ...ADDRESSES.flat()])) {
        await fail(port, aTry({ ...limits, address }));
        const again = await other.begin(aTry({ ...limits, address }));
        expect(again.kind, `again from ${address.slice(0, 300)}`).to.equal('limited');
      }
      const apart = { role: aRoleId(2), perAddress: 1, perRole: 10_000 };
      const signs = SIGNS.flatMap((sign) => [`a${sign}b`, `${sign}b`, `a${sign}`, sign]);
      for (const address of new Set([...SPELLED, ...signs, ...NETWORKS.flatMap(eachPlace)])) {
        await admit(port, aTry({ ...apart, address }));
        const again = await other.begin(aTry({ ...apart, address }));
        expect(again, `again from ${JSON.stringify(address)}`).to.deep.equal(BUSY);
      }
      const role = aRoleId(1);
      for (const near of [role.slice(0, -1), role.toUpperCase(), ...eachPlace(role)]) {
        await fail(other, aTry({ ...limits, role: near as RoleId, address: long, perRole: 1 }));
      }
    },
  ),
  'attempt-counter/purge-many: the records of more than a thousand windows are counted and dropped, up to the limit at each call, until none is left':
    async ({ port, peer }) => {
      const visitor = (n: number) => aTry({ role: aRoleId(n % 350), address: `visitor ${n}`, perAddress: 1 });
      for (let n = 0; n < 1_050; n += 1) await fail(port, visitor(n));
      const other = await peer();
      for (const [store, n] of [0, 1, 349, 350, 700, 1_049].flatMap((n) => [
        [port, n] as const,
        [other, n] as const,
      ])) {
        expect(await store.begin(visitor(n)), `visitor ${n}`).to.deep.equal(limitedUntil(END));
        const all = await store.begin({ ...visitor(n), address: 'another', perRole: 3 });
        expect(all, `the role of visitor ${n}`).to.deep.equal(limitedUntil(END));
      }
      const ended = await other.countEnded(END);
      expect(ended, 'records').to.be.at.least(1_050);
      expect(await other.purge(END, 20), 'of the first').to.equal(20);
      expect(await port.purge(END, 2 ** 32), 'of the rest, more than a thousand').to.equal(ended - 20);
      expect(await port.countEnded(END), 'at last').to.equal(0);
    },
  'attempt-counter/lets-go: once their windows are dropped, nothing is left of ended tries, and a call leaves no open file or connection':
    async ({ port }) => {
      let n = 0;
      await expectNothingLeft({
        'a right password': async () => {
          n += 1;
          await port.forgive(await admit(port, aTry({ address: `visitor ${n}` })));
        },
        'a wrong password': async () => await fail(port, aTry()),
        'nothing but a try': async () => await admit(port, aTry()),
      });
      expect(await port.countEnded(START), 'records while windows are open').to.equal(0);
      const late = after(END, minutes(10));
      await port.purge(late, 1_000);
      expect(await port.countEnded(late), 'records').to.equal(0);
      const ticket = await admit(port, aTry({ now: late }));
      await port.purge(after(late, WINDOW), 1_000);
      for (const answer of [port.settle, port.forgive]) {
        await answer.call(port, ticket);
        expect(await port.countEnded(after(late, WINDOW)), 'after a late answer').to.equal(0);
      }
    },
  'attempt-counter/unreachable: while the database does not answer, every call rejects with the fault store_unavailable and its cause':
    async ({ port, unreachable }) => {
      // A ticket that all handles know.
      const ticket = await admit(port, aTry());
      await port.settle(ticket);
      const lost = await admit(port, aTry());
      await port.forgive(lost);
      expect((await port.begin(aTry({ perAddress: 1 }))).kind).to.equal('limited');
      const dead = await unreachable();
      const calls: Readonly<Record<keyof AttemptCounter, () => Promise<unknown>>> = {
        begin: () => dead.begin(aTry({ perAddress: 1 })),
        settle: () => dead.settle(ticket),
        forgive: () => dead.forgive(ticket),
        purge: () => dead.purge(END, 10),
        countEnded: () => dead.countEnded(END),
      };
      const more = {
        'a try of another': () => dead.begin(aTry({ role: aRoleId(2), address: '' })),
        'settling in vain': () => dead.settle(lost),
        'forgiving in vain': () => dead.forgive(lost),
        'purging none': () => dead.purge(END, 0),
        'purging before all': () => dead.purge(0 as Instant, 1),
        'counting before all': () => dead.countEnded(0 as Instant),
      };
      await expectUnreachable('store_unavailable', { ...calls, ...more });
    },
};

/** Variants of a text, with the character at each position replaced by a neighboring one. */
function eachPlace(text: string): readonly string[] {
  const changed = (sign: string) => (sign === '0' ? '1' : '0');
  return Array.from(text, (sign, at) => `${text.slice(0, at)}${changed(sign)}${text.slice(at + 1)}`);
}
