import { after, type Day, days, duration, hours, minutes, type Title } from '@pinfold/core';
import type { MovedRecord } from '@pinfold/core/moving';
import {
  aComparison,
  aConsent,
  aLink,
  anApiKey,
  anApiKeyId,
  anEvent,
  aRegistration,
  aReservation,
  aRoleId,
  aSession,
  aSha256,
  aTakedown,
  rejectionOf,
  START,
} from '@pinfold/test-contracts/fixtures';
import { aClaim, changeRole, type StoreClauses, UNBOUNDED } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import type { MovingStores } from '../stores.ts';
import { allOf, publishOne, recordsOf, stock } from './stock.ts';

/** More than fits into one answer of a database. */
const MANY = 150;

const LATER = after(START, hours(300));

const nameOf = (record: MovedRecord): string => JSON.stringify([record.kind, idOf(record)]);

function idOf({ kind, value }: MovedRecord): string {
  switch (kind) {
    case 'account':
      return value.name;
    case 'name':
      return `${value.account} ${value.name}`;
    case 'takedown':
      return value.id + value.sha256;
    case 'views':
      return value.role + value.day;
    default:
      return value.id;
  }
}

async function rename({ roles }: MovingStores, n: number): Promise<void> {
  await changeRole(roles, aRoleId(n), { title: 'Renamed' as Title }, anEvent({ pin: aRoleId(n) }));
}

/** Stores data that only a running service needs. */
async function useService({ roles, sessions, apiKeys, pairings, mode }: MovingStores): Promise<void> {
  await roles.reserve(aReservation(50));
  await sessions.begin(aSession(1), []);
  await sessions.offer(aLink(1), []);
  await apiKeys.touch(anApiKeyId(1), LATER, START);
  await roles.claimForCleanup(aClaim(9, LATER, { limit: 1 }));
  await roles.saveComparison(aComparison(), undefined);
  await pairings.register(aRegistration(1));
  await pairings.agree(aRegistration(1).secretHash, aConsent(1), START, []);
  await mode.change({ kind: 'read_only', message: 'We move.' }, []);
}

export const snapshotClauses: StoreClauses<MovingStores> = {
  'snapshot/whole: every account, key, publication, name, takedown, day of views and event is given once, with every field':
    async ({ port, peer }) => {
      expect(await recordsOf(port), 'of an empty database').to.deep.equal([]);
      const stored = await stock(port);
      const inOrder = (records: readonly MovedRecord[]) =>
        records.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
      expect(inOrder(await recordsOf(await peer()))).to.deep.equal(inOrder(stored));
      await Promise.all(Array.from({ length: MANY }, (_, n) => publishOne(port, 10 + n)));
      const names = (await recordsOf(port)).map(nameOf);
      expect(new Set(names)).to.have.lengthOf(names.length);
      expect(names).to.have.lengthOf(stored.length + 2 * MANY);
    },
  'snapshot/order: accounts are ordered by name, keys and publications by id, names by account and name, takedowns by publication and archive, views by publication and day, events by instant and id; one kind after the other':
    async ({ port }) => {
      await stock(port);
      await Promise.all(Array.from({ length: 20 }, (_, n) => publishOne(port, 10 + n)));
      for (const n of [15, 12, 19, 11]) {
        const counted = [7, 3, 5].map((day) => ({ day: day as Day, views: 1, refusedPasswords: 0 }));
        await port.views.add(counted.map((counts) => ({ role: aRoleId(n), ...counts })));
        for (const hash of [2, 1]) {
          const takedown = aTakedown(n, { sha256: aSha256(100 + hash) });
          await port.takedowns.takeDown(takedown, undefined, []);
        }
      }
      const records = await recordsOf(port);
      const kinds = records.map(({ kind }) => kind).filter((kind, n, all) => kind !== all[n - 1]);
      expect(kinds).to.deep.equal(['account', 'key', 'publication', 'name', 'takedown', 'views', 'event']);
      const placeOf = (record: MovedRecord): Uint8Array => {
        const at = record.kind === 'event' ? String(record.value.at).padStart(16, '0') : '';
        return new TextEncoder().encode(at + idOf(record));
      };
      for (const [n, record] of records.entries()) {
        const before = records[n - 1];
        if (before?.kind !== record.kind) continue;
        expect(isBefore(placeOf(before), placeOf(record)), `${nameOf(before)}, ${nameOf(record)}`).to.equal(
          true,
        );
      }
    },
  'snapshot/instant: changes during the reading are not in it, and are not delayed': async ({
    port,
    peer,
  }) => {
    await Promise.all(Array.from({ length: MANY }, (_, n) => publishOne(port, n)));
    await port.apiKeys.create(anApiKey(1), []);
    const other = await peer();
    const before = await recordsOf(other);
    const read: MovedRecord[] = [];
    for await (const record of port.snapshot.records()) {
      read.push(record);
      if (read.length > 1) continue;
      await port.apiKeys.revoke(anApiKeyId(1), LATER, [anEvent()]);
      for (const stores of [port, other]) {
        await publishOne(stores, stores === port ? 1_000 : 1_001);
        for (let n = 0; n < MANY; n += 10) await rename(stores, n + (stores === port ? 0 : 1));
      }
    }
    expect(read).to.deep.equal(before);
    expect(await recordsOf(other)).to.not.deep.equal(before);
  },
  'snapshot/left-out: data that only a running service needs is not in it: databases that differ only in such data have equal snapshots':
    async ({ port }, another) => {
      const { port: used } = await another();
      const rate = { count: 10, window: minutes(1) };
      const event = anEvent({ at: after(START, minutes(1)) });
      for (const stores of [port, used]) {
        const limits = stores === used ? { ...UNBOUNDED, publications: rate } : UNBOUNDED;
        await publishOne(stores, 1, { expiresAt: after(START, days(1)) }, { limits });
        await stores.apiKeys.create(anApiKey(1), [event]);
      }
      await useService(used);
      const withoutIds = async (stores: MovingStores) =>
        (await recordsOf(stores)).map((record) =>
          record.kind === 'event' ? { ...record.value, id: undefined } : record,
        );
      expect(await withoutIds(used)).to.deep.equal(await withoutIds(port));
    },
  'snapshot/scheduled-export: the latest instant that any peer recorded is returned, unless it is over an hour later than one recorded since, as by a clock that was ahead, and undefined before the first; no snapshot has it':
    async ({ port, peer }) => {
      const other = await peer();
      await stock(port);
      const before = await recordsOf(port);
      const last = () => Promise.all([port, other].map(({ snapshot }) => snapshot.lastScheduledExport()));
      expect(await last(), 'before the first').to.deep.equal([undefined, undefined]);
      const [early, late] = [after(START, duration(60_123)), after(START, duration(3_660_123))];
      const ahead = after(late, duration(3_600_001));
      for (const [stores, at, expected] of [
        [port, early, early],
        [other, late, late],
        [port, early, late],
        [port, ahead, ahead],
        [other, late, late],
      ] as const) {
        await stores.snapshot.recordScheduledExport(at);
        expect(await last(), 'as it was recorded').to.deep.equal([expected, expected]);
      }
      expect(await recordsOf(other)).to.deep.equal(before);
    },
  'snapshot/aborted: an aborted signal rejects with its reason, even while records are read': async ({
    port,
  }) => {
    await stock(port);
    for (const reason of [{ why: 'nobody reads on' }, new Error('nobody reads on')]) {
      const none = allOf(port.snapshot.records(AbortSignal.abort(reason)));
      expect(await rejectionOf(none)).to.equal(reason);
      const aborting = new AbortController();
      const some = async (): Promise<void> => {
        for await (const _ of port.snapshot.records(aborting.signal)) aborting.abort(reason);
      };
      expect(await rejectionOf(some())).to.equal(reason);
    }
    for await (const _ of port.snapshot.records()) break;
    await publishOne(port, 77);
  },
};

function isBefore(one: Uint8Array, other: Uint8Array): boolean {
  const place = one.findIndex((byte, n) => byte !== other[n]);
  return place === -1 ? one.length < other.length : (one[place] ?? 0) < (other[place] ?? -1);
}
