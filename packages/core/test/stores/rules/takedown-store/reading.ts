import { accountId, after, duration, hours, instant, type RoleId, type Takedown } from '@pinfold/core';
import {
  anEvent,
  aPublication,
  aRoleId,
  aSha256,
  aTakedown,
  publishTo,
  START,
} from '@pinfold/test-contracts/fixtures';
import { type StoreClauses, walk, withPeer } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import type { TakedownStores } from '../stores.ts';
import { takedownEvent } from './taken.ts';

async function takeDownAll({ takedowns }: TakedownStores, all: readonly Takedown[]): Promise<void> {
  for (const each of all) await takedowns.takeDown(each, undefined, [takedownEvent(each)]);
}

export const readingClauses: StoreClauses<TakedownStores> = {
  'takedown-store/forbidden: exactly the archives that any peer forbade last are forbidden': withPeer(
    async (port, { takedowns }) => {
      const sha256 = `${'a'.repeat(63)}b` as Takedown['sha256'];
      await takeDownAll(port, [aTakedown(1, { sha256 })]);
      expect(await takedowns.isForbidden(sha256)).to.equal(true);
      for (const other of ['a'.repeat(64), sha256.toUpperCase(), '', 'a'.repeat(63), `${sha256} `]) {
        expect(await takedowns.isForbidden(other as Takedown['sha256']), other).to.equal(false);
      }
    },
  ),
  'takedown-store/of-roles: exactly the takedowns of the given ids are returned, with every field': async ({
    port,
    peer,
  }) => {
    const [first, second, ...others] = [
      aTakedown(1, { reason: '\u{1f3a3} "quoted" \u2028', account: accountId('Ünïted ü') }),
      aTakedown(1, { sha256: aSha256(7), at: after(START, hours(1)) }),
      aTakedown(2),
      aTakedown(3),
    ] as const;
    await takeDownAll(port, [first, second, ...others]);
    const { takedowns } = await peer();
    await takedowns.lift(second, after(START, hours(2)), [anEvent({ pin: null })]);
    const lifted = { ...second, liftedAt: after(START, hours(2)) };
    expect(await port.takedowns.of([aRoleId(1), aRoleId(9)])).to.have.deep.members([first, lifted]);
    const more = await port.takedowns.of([aRoleId(3), aRoleId(2)]);
    expect(more).to.have.deep.members(others);
    const unknown = Array.from({ length: 100 }, (_, n) => aRoleId(n + 10));
    expect(await port.takedowns.of([...unknown, aRoleId(2)]), 'of many').to.deep.equal([others[0]]);
    expect(await port.takedowns.of([])).to.deep.equal([]);
  },
  'takedown-store/list: pages after a cursor have every takedown that was not lifted exactly once, newest first by (at, id, sha256), even of one instant; a list for an archive has only its own':
    async ({ port, peer }) => {
      const at = (n: number) => after(START, duration(n));
      const all = [
        ...[5, 2, 4, 1, 3].map((n) => aTakedown(n, { at: at(n % 2), sha256: aSha256(n % 3) })),
        aTakedown(1, { at: at(1), sha256: aSha256(8) }),
      ];
      const lifted = aTakedown(6, { at: at(1) });
      await takeDownAll(port, [...all, lifted]);
      await port.takedowns.lift(lifted, at(9), [anEvent({ pin: null })]);
      const { takedowns } = await peer();
      const walked = (sha256: Takedown['sha256'] | undefined): Promise<readonly Takedown[]> =>
        walk(2, (after) => takedowns.list({ sha256, after, limit: 2 }));
      const order = (one: Takedown, other: Takedown): number =>
        other.at - one.at || (one.id + one.sha256 > other.id + other.sha256 ? -1 : 1);
      const sorted = all.toSorted(order);
      expect(await walked(undefined)).to.deep.equal(sorted);
      const own = sorted.filter(({ sha256 }) => sha256 === aSha256(2));
      expect(own).to.have.lengthOf(2);
      expect(await walked(aSha256(2))).to.deep.equal(own);
      expect(await walked(lifted.sha256)).to.deep.equal([]);
    },
  'takedown-store/copies: pages after an id give every role in service at the instant, of any account, exactly once, in order':
    async ({ port, peer }) => {
      const end = after(START, hours(2));
      const sha256 = aSha256(1);
      const lifetimes = [
        { expiresAt: end },
        { expiresAt: null, pinned: true, account: accountId('other') },
        { expiresAt: instant(end + 1) },
        { expiresAt: end, deletedAt: after(START, hours(1)) },
        { expiresAt: instant(end + 1), sha256: aSha256(2) },
      ];
      for (const [n, lifetime] of lifetimes.entries()) {
        await publishTo(port.roles, aPublication(n, { sha256, ...lifetime }));
      }
      const { takedowns } = await peer();
      const walked = (now: number): Promise<readonly RoleId[]> =>
        walk(1, (after) => takedowns.copies({ sha256, now: instant(now), after, limit: 1 }));
      const ids = (...numbers: readonly number[]) => numbers.map(aRoleId).toSorted();
      expect(await walked(end - 1)).to.deep.equal(ids(0, 1, 2));
      expect(await walked(end), 'at an end').to.deep.equal(ids(1, 2));
      const all = await takedowns.copies({ sha256, now: START, after: undefined, limit: 9 });
      expect(all).to.deep.equal(ids(0, 1, 2));
    },
};
