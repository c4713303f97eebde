import { type AttemptCounter, after, type Instant, minutes, type RoleId } from '@pinfold/core';
import { expect } from 'chai';
import type { Clause, StoreSubject } from '../contract.ts';
import { expectFaults } from '../faults.ts';
import { START } from '../fixtures/clock.ts';
import { aRoleId } from '../fixtures/roles.ts';
import { expectNothingLeft } from '../signals.ts';
import { admit, aTry, BUSY, fail, limitedUntil, WINDOW } from './tries.ts';

const END: Instant = after(START, WINDOW);

/** What shows with limits as they are in use, with many windows, and when nobody answers. */
export const manyClauses: readonly Clause<AttemptCounter, StoreSubject<AttemptCounter>>[] = [
  {
    id: 'attempt-counter/hundreds',
    says: 'limits of hundreds hold exactly, for one address and for all together',
    check: async ({ port, peer }) => {
      const other = await peer();
      const address = { perAddress: 130, perRole: Number.MAX_SAFE_INTEGER };
      const right = await admit(port, aTry(address));
      for (let n = 0; n < 130; n += 1) {
        if (n === 129) await other.forgive(right);
        await fail(n % 2 === 0 ? port : other, aTry(address));
      }
      expect(await other.begin(aTry(address)), 'one address').to.deep.equal(limitedUntil(END));
      const role = { role: aRoleId(2), perAddress: 2 ** 32, perRole: 700 };
      for (let n = 0; n < 699; n += 1) await fail(port, aTry({ ...role, address: `visitor ${n}` }));
      const last = await admit(other, aTry({ ...role, address: 'the last' }));
      expect(await port.begin(aTry({ ...role, address: 'one more' })), 'all together').to.deep.equal(BUSY);
      await port.settle(last);
      const limited = await port.begin(aTry({ ...role, address: 'one more' }));
      expect(limited, 'all together').to.deep.equal(limitedUntil(END));
    },
  },
  {
    id: 'attempt-counter/addresses',
    says: 'addresses are compared whole and exactly, however long, and roles as exactly',
    check: async ({ port, peer }) => {
      const other = await peer();
      const limits = { perAddress: 1 };
      const long = '2001:db8:0123:4567:89ab:cdef:0123:4567%'.repeat(6);
      for (const address of [
        long,
        `${long}1`,
        `${long}2`,
        long.toUpperCase(),
        '',
        ' ',
        '0',
        '00',
        '0\u0000',
        '__proto__',
        "'",
        '\u{1f310}',
        '\u{1f311}',
        'x'.repeat(70_000),
        `${'x'.repeat(35_000)}y${'x'.repeat(35_000)}`,
        `${'x'.repeat(70_000)}y`,
        '192.0.2.1',
        '::ffff:192.0.2.1',
        '::ffff:c000:201',
        '3221225985',
        '2001:db8::/64',
        '2001:0db8:0:0::/64',
        'fe80::1%n\u00e9',
        'fe80::1%ne\u0301',
      ]) {
        await fail(port, aTry({ ...limits, address }));
        const again = await other.begin(aTry({ ...limits, address }));
        expect(again.kind, `again from ${address.slice(0, 300)}`).to.equal('limited');
      }
      const role = aRoleId(1);
      for (const near of [
        role.slice(0, -1),
        `${role.slice(0, -1)}f`,
        `f${role.slice(1)}`,
        role.toUpperCase(),
      ]) {
        await fail(other, aTry({ ...limits, role: near as RoleId, address: long, perRole: 1 }));
      }
    },
  },
  {
    id: 'attempt-counter/purge-many',
    says: 'what is kept of more than a thousand windows is counted and dropped, each time as many as the limit, until none is left',
    check: async ({ port, peer }) => {
      for (let n = 0; n < 1_050; n += 1) {
        await fail(port, aTry({ role: aRoleId(n % 7), address: `visitor ${n}` }));
      }
      const other = await peer();
      const ended = await other.countEnded(END);
      expect(ended, 'records').to.be.at.least(1_050);
      expect(await other.purge(END, 20), 'of the first').to.equal(20);
      expect(await port.purge(END, 2 ** 32), 'of the rest, more than a thousand').to.equal(ended - 20);
      expect(await port.countEnded(END), 'at last').to.equal(0);
    },
  },
  {
    id: 'attempt-counter/lets-go',
    says: 'of tries that ended nothing is left once their windows are dropped, and of a call no open file or connection',
    check: async ({ port }) => {
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
  },
  {
    id: 'attempt-counter/unreachable',
    says: 'while the database does not answer, every call rejects with the fault store_unavailable and what caused it',
    check: async ({ port, unreachable }) => {
      // Of what all know already.
      const ticket = await admit(port, aTry());
      await port.settle(ticket);
      expect((await port.begin(aTry({ perAddress: 1 }))).kind).to.equal('limited');
      const gone = await unreachable();
      const calls: Readonly<Record<keyof AttemptCounter, Promise<unknown>>> = {
        begin: gone.begin(aTry({ perAddress: 1 })),
        settle: gone.settle(ticket),
        forgive: gone.forgive(ticket),
        purge: gone.purge(END, 10),
        countEnded: gone.countEnded(END),
      };
      await expectFaults('store_unavailable', { ...calls, 'purging none': gone.purge(END, 0) });
    },
  },
];
