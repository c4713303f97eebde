import { accountId, after, hours, seconds, type Warning } from '@pinfold/core';
import { ACCOUNT, aReservation, aRoleId, aToken, leaseOf, START } from '@pinfold/test-contracts/fixtures';
import {
  overQuota,
  recordedEvents,
  type StoreClauses,
  together,
  UNBOUNDED,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import type { NameStores } from '../stores.ts';
import {
  aChange,
  aName,
  aNamedPublication,
  aNameToken,
  eventsOf,
  PROTECTED,
  publish,
  publishNamed,
  set,
  shownBy,
} from './values.ts';

const COMMITTED = { kind: 'committed', warnings: [] };
const OTHER = accountId('globex');
const FIRST_NAME: { readonly name: ReturnType<typeof aName> } = { name: aName(1) };

export const publishingClauses: StoreClauses<NameStores> = {
  'name-store/with-publication: the commit of a publication points its name at the new role, for every peer, with the given token if the name is new and its own if not; a commit that is refused, lost or repeated changes no name':
    withPeer(async (port, other) => {
      expect(await publishNamed(port, 1)).to.deep.equal(COMMITTED);
      const published = shownBy(aChange(1, { now: START }));
      expect(await other.names.find(ACCOUNT, aName(1))).to.deep.equal(published);
      expect((await other.names.resolve(aNameToken(1)))?.role.value.id).to.equal(aRoleId(1));
      expect(await publishNamed(other, 2, FIRST_NAME)).to.deep.equal(COMMITTED);
      const moved = shownBy(aChange(1, { now: START }), { role: aRoleId(2), previous: aRoleId(1) });
      expect(await port.names.find(ACCOUNT, aName(1))).to.deep.equal(moved);
      expect(await port.names.resolve(aNameToken(2))).to.equal(undefined);
      expect((await port.names.resolve(aNameToken(1)))?.role.value.id, 'resolved again').to.equal(aRoleId(2));
      expect(
        (await recordedEvents(port, { pin: aRoleId(2) })).map(({ type, name }) => [type, name]),
      ).to.deep.equal([
        ['name.set', aName(1)],
        ['pin.published', null],
      ]);
      expect(
        await publishNamed(port, 3, { ...FIRST_NAME, account: OTHER, token: aNameToken(3) }),
      ).to.deep.equal(COMMITTED);
      expect((await port.names.find(OTHER, aName(1)))?.name.token, 'of another account').to.equal(
        aNameToken(3),
      );
      const first = aNamedPublication(1);
      const repeated = await port.roles.commit(first, leaseOf(aReservation(1)), eventsOf(first));
      expect(repeated, 'the commit again').to.deep.equal(COMMITTED);
      const full = { ...UNBOUNDED, sites: 2 };
      expect((await publishNamed(port, 4, { ...FIRST_NAME, limits: full })).kind).to.equal('refused');
      await port.roles.reserve(aReservation(5, { name: aName(1) }));
      const late = after(START, hours(1));
      await port.roles.reserve(
        aReservation(5, { token: aToken(55), now: late, until: after(late, seconds(9)) }),
      );
      const lost = aNamedPublication(5, FIRST_NAME);
      const overtaken = await port.roles.commit(lost, leaseOf(aReservation(5)), eventsOf(lost));
      expect(overtaken).to.deep.equal({ kind: 'lease_lost' });
      expect(await other.names.find(ACCOUNT, aName(1))).to.deep.equal(moved);
      expect(await other.names.list(ACCOUNT, undefined, 10)).to.have.lengthOf(1);
    }),
  'name-store/publication-quota: reserve and commit refuse a publication to a new name if the account has as many names as the limit; an existing name passes; concurrent publications never exceed the limit, and a refusal stores nothing':
    async (subject) => {
      const { port } = subject;
      const limits = { ...UNBOUNDED, names: 3 };
      await publishNamed(port, 1, { account: OTHER });
      await publish(port, 2);
      await set(port, aChange(2));
      const numbers = Array.from({ length: 9 }, (_, n) => 10 + n);
      for (const n of numbers) {
        const reserved = await port.roles.reserve(aReservation(n, { limits, name: aName(n) }));
        expect(reserved.kind, 'while there is room').to.equal('reserved');
      }
      const outcomes = await together(subject, numbers.length, ({ roles }, n) => {
        const publication = aNamedPublication(10 + n, { limits });
        return roles.commit(publication, leaseOf(aReservation(10 + n)), eventsOf(publication));
      });
      const refused = overQuota('names', 3, 4);
      for (const outcome of outcomes) if (outcome.kind === 'refused') expect(outcome).to.deep.equal(refused);
      expect(outcomes.filter(({ kind }) => kind === 'committed')).to.have.lengthOf(2);
      const names = await port.names.list(ACCOUNT, undefined, 10);
      expect(names).to.have.lengthOf(3);
      for (const [n, { kind }] of outcomes.entries()) {
        const stored = await port.roles.load(aRoleId(10 + n));
        expect(stored !== undefined, `role ${10 + n}`).to.equal(kind === 'committed');
      }
      expect(await port.roles.reserve(aReservation(30, { limits, name: aName(30) }))).to.deep.equal(refused);
      expect((await publishNamed(port, 31, { name: aName(2), limits })).kind, 'a known name').to.equal(
        'committed',
      );
      const more = { ...UNBOUNDED, names: 4 };
      expect((await publishNamed(port, 32, { limits: more })).kind, 'a larger limit').to.equal('committed');
      expect((await port.roles.reserve(aReservation(33, { limits }))).kind, 'without a name').to.equal(
        'reserved',
      );
    },
  'name-store/publication-warnings: a commit warns if its name showed a protected role and the new one is not protected, and if the account has nine tenths of the limit; these warnings come before those of the archive, are returned by the commit and stored for a replay, at most 20 in all':
    withPeer(async (port, other) => {
      const own: Warning = { rule: 'source_map', path: 'app.js.map' };
      const dropped: Warning = { rule: 'password_dropped' };
      const warningsOf = async (n: number, named: Parameters<typeof publishNamed>[2]) => {
        const outcome = await publishNamed(port, n, named);
        if (outcome.kind !== 'committed') throw new Error(outcome.kind);
        const replay = await other.roles.reserve(aReservation(n, { name: named?.name }));
        expect(replay, 'a replay').to.deep.include({ kind: 'complete', warnings: outcome.warnings });
        const publication = aNamedPublication(n, named);
        const again = await other.roles.commit(publication, leaseOf(aReservation(n)), []);
        expect(again, 'the commit again').to.deep.equal(outcome);
        return outcome.warnings;
      };
      const withPassword = { ...FIRST_NAME, passwordHash: PROTECTED };
      expect(await warningsOf(1, withPassword), 'a new name').to.deep.equal([]);
      expect(await warningsOf(2, withPassword), 'protected again').to.deep.equal([]);
      expect(await warningsOf(3, { ...FIRST_NAME, warnings: [own] })).to.deep.equal([dropped, own]);
      expect(await warningsOf(4, FIRST_NAME), 'unprotected before').to.deep.equal([]);
      await warningsOf(5, withPassword);
      const limits = { ...UNBOUNDED, names: 3 };
      const many = Array.from({ length: 20 }, () => own);
      await warningsOf(6, { ...FIRST_NAME, limits, passwordHash: PROTECTED });
      const second = await warningsOf(7, { limits });
      expect(second, 'two of three').to.deep.equal([]);
      const full: Warning = { rule: 'names_nearly_full', used: 3, most: 3 };
      expect(await warningsOf(8, { limits }), 'three of three').to.deep.equal([full]);
      const both = await warningsOf(9, { ...FIRST_NAME, limits, warnings: many });
      expect(both).to.deep.equal([dropped, full, ...many.slice(2)]);
      expect(
        await warningsOf(10, { ...FIRST_NAME, limits: { ...UNBOUNDED, names: 4 } }),
        'three of four',
      ).to.deep.equal([]);
    }),
  'name-store/last-wins: after concurrent publications and changes over all peers, the name shows the role of the last one, and each leaves its event':
    async (subject) => {
      const { port } = subject;
      const numbers = Array.from({ length: 12 }, (_, n) => n + 1);
      await publish(port, ...numbers.filter((n) => n % 2 === 0));
      const outcomes = await together(subject, numbers.length, async (stores, at) => {
        const n = at + 1;
        return n % 2 === 0
          ? (await set(stores, aChange(n, FIRST_NAME))).kind
          : (await publishNamed(stores, n, FIRST_NAME)).kind;
      });
      for (const kind of outcomes) expect(kind).to.be.oneOf(['created', 'moved', 'committed']);
      expect(await port.names.list(ACCOUNT, undefined, 10)).to.have.lengthOf(1);
      const events = (await recordedEvents(port)).filter(({ type }) => type === 'name.set');
      expect(events.map(({ pin }) => pin)).to.have.members(numbers.map(aRoleId));
      for (const n of [21, 22, 23]) {
        await publishNamed(n % 2 === 0 ? await subject.peer() : port, n, FIRST_NAME);
        const shown = (await (await subject.peer()).names.find(ACCOUNT, aName(1)))?.name.role;
        expect(shown, 'what was acknowledged last').to.equal(aRoleId(n));
      }
    },
};
