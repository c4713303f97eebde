import {
  ACCOUNT,
  anEvent,
  aPublication,
  aRoleId,
  aToken,
  publishTo,
  START,
} from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { after, type FeedId, hours, type NameToken, type PinName } from '../../src/index.ts';
import type { MovedRecord } from '../../src/moving.ts';
import { EVENTS } from '../../src/records/tables/service-tables.ts';
import { type Database, defineQuery, find } from '../../src/records.ts';
import { createPersistence } from '../../src/stores/create-persistence.ts';
import { newDatabase, type Stores } from './memory-stores.ts';

const TOKEN = aToken(1);
const NAME = { account: ACCOUNT, token: '0'.repeat(22) as NameToken, role: aRoleId(1), updatedAt: START };

const unnumbered = defineQuery('test.unnumbered', () => find(EVENTS, { feedNumber: null }));

const places = defineQuery('test.places', () =>
  find(EVENTS, {}, { order: ['at', 'id'], select: ['sequence', 'accountFeedNumber'] }),
);

function openStores(changed: Partial<Database> = {}) {
  const database = Object.assign(newDatabase(), changed);
  return { ...createPersistence(database, () => crypto.randomUUID() as string as FeedId), database };
}

async function recordsOf({ snapshot }: Pick<Stores, 'snapshot'>): Promise<readonly MovedRecord[]> {
  const records: MovedRecord[] = [];
  for await (const record of snapshot.records()) records.push(record);
  return records;
}

async function importInto({ imports }: Stores, records: readonly MovedRecord[]): Promise<void> {
  await imports.begin(TOKEN);
  await imports.saveRecords(TOKEN, records);
  await imports.end(TOKEN);
}

/** Events of two accounts and of none, as records. */
function eventsOf(count: number): readonly MovedRecord[] {
  return Array.from({ length: count }, (_, n) => {
    const account = [ACCOUNT, `${ACCOUNT}-2` as typeof ACCOUNT, null][n % 3] ?? null;
    return { kind: 'event', value: anEvent({ account, at: after(START, hours(n)) }) };
  });
}

describe('moving what a database stores', () => {
  it('shows a publication without a record of its account', async () => {
    const source = openStores();
    await publishTo(source.roles, aPublication(1));
    const target = openStores();
    await importInto(
      target,
      (await recordsOf(source)).filter(({ kind }) => kind !== 'account'),
    );
    const role = await source.roles.load(aRoleId(1));
    expect(await target.roles.load(aRoleId(1))).to.deep.equal(role);
    expect(await target.accounts.load(ACCOUNT)).to.equal(undefined);
  });

  it('numbers all events, so that the first reader of the feed does not wait', async () => {
    const target = openStores();
    await importInto(target, eventsOf(1_100).toReversed());
    expect(await target.database.read(unnumbered, undefined)).to.deep.equal([]);
  });

  it('numbers events of no account only in the feed of all accounts, and leaves the positions of events that are in order', async () => {
    for (const isSerial of [false, true]) {
      const target = openStores({ isSerial });
      await importInto(target, eventsOf(9));
      const placed = await target.database.read(places, undefined);
      expect(placed.map(({ sequence }) => sequence)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9]);
      const own = placed.map(({ accountFeedNumber }) => accountFeedNumber);
      expect(own).to.deep.equal([1, 1, null, 2, 2, null, 3, 3, null]);
    }
  });

  it('imports only the first of two publications with one id, and both of two with one Idempotency-Key', async () => {
    const source = openStores();
    for (const n of [1, 2, 3]) await publishTo(source.roles, aPublication(n));
    const records = await recordsOf(source);
    const [one, two, three] = records.flatMap((record) => (record.kind === 'publication' ? [record] : []));
    if (one === undefined || two === undefined || three === undefined) throw new Error('too few');
    const sameRole = { ...two, value: { ...two.value, id: one.value.id } };
    const sameKey = { ...three, value: { ...three.value, idempotencyKey: one.value.idempotencyKey } };
    const target = openStores();
    await importInto(target, [one, sameRole, sameKey]);
    expect((await target.roles.load(one.value.id))?.value.archive).to.equal(one.value.archive);
    expect(await target.roles.loadManifest(two.value.archive)).to.equal(undefined);
    expect(await target.roles.loadManifest(three.value.archive)).not.to.equal(undefined);
  });

  it('imports only the first of two names with one token, and ignores the removal of an unknown publication', async () => {
    const target = openStores();
    const names = ['one', 'two'].map(
      (text) => ({ kind: 'name', value: { ...NAME, name: text as PinName } }) as const,
    );
    const removal = {
      kind: 'removal',
      value: { id: aRoleId(9), expiresAt: null, deletedAt: START },
    } as const;
    await importInto(target, [...names, removal] as readonly MovedRecord[]);
    expect((await target.names.list(ACCOUNT, undefined, 9)).map((one) => one.name.name)).to.deep.equal([
      'one',
    ]);
  });

  it('shows a name without its publication like one of a stopped publication', async () => {
    const target = openStores();
    await importInto(target, [{ kind: 'name', value: { ...NAME, name: 'docs' as PinName } }]);
    const found = await target.names.find(ACCOUNT, 'docs' as PinName);
    expect(found?.role).to.deep.equal({ deletedAt: START, expiresAt: null });
  });

  for (const isSerial of [false, true]) {
    it(`orders the feeds of a database whose programs run ${isSerial ? 'in turn' : 'at once'}`, async () => {
      const target = openStores({ isSerial });
      const events = eventsOf(1_100);
      const values = events.map(({ value }) => value);
      const [first, last] = [events.slice(0, 600), events.slice(600)];
      await importInto(target, [...last, ...first]);
      const read = (account?: typeof ACCOUNT) =>
        target.history.feed({ account, pin: undefined, after: 0, limit: 5_000 });
      expect((await read()).items.map(({ event }) => event)).to.deep.equal(values);
      const own = values.filter((value) => 'account' in value && value.account === ACCOUNT);
      expect((await read(ACCOUNT)).items).to.deep.equal(own.map((event, n) => ({ number: n + 1, event })));
    });
  }
});
