import { createMemoryDatabase } from '@pinfold/memory';
import {
  ACCOUNT,
  anApiKeyId,
  anEvent,
  aPublication,
  aRegistration,
  aRoleId,
  aSession,
  aTakedown,
  aToken,
  aTokenHash,
  publishTo,
  START,
} from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { after, type FeedId, hours, type NameToken, type PinName } from '../../src/index.ts';
import type { MovedRecord } from '../../src/moving.ts';
import { EVENTS } from '../../src/records/tables/service-tables.ts';
import { type Database, defineQuery, find } from '../../src/records.ts';
import { createStores, STORE_SCHEMA } from '../../src/stores/create-stores.ts';

type Stores = ReturnType<typeof createStores>;

const TOKEN = aToken(1);
const LATER = after(START, hours(1));

const unnumbered = defineQuery('test.unnumbered', () => find(EVENTS, { feedNumber: null }));

const places = defineQuery('test.places', () =>
  find(EVENTS, {}, { order: ['at', 'id'], select: ['sequence', 'accountFeedNumber'] }),
);

function openStores(changed: Partial<Database> = {}) {
  const memory = createMemoryDatabase(STORE_SCHEMA);
  const database: Database = {
    isSerial: memory.isSerial,
    read: (query, args, signal) => memory.read(query, args, signal),
    peek: (lookup, key, signal) => memory.peek(lookup, key, signal),
    snapshot: (query, args, signal) => memory.snapshot(query, args, signal),
    openSnapshot: (signal) => memory.openSnapshot(signal),
    write: (program, args) => memory.write(program, args),
    pause: () => memory.pause(),
    migrate: () => memory.migrate(),
    check: (signal) => memory.check(signal),
    examine: () => memory.examine(),
    close: () => memory.close(),
    ...changed,
  };
  return { ...createStores(database, () => crypto.randomUUID() as string as FeedId), database };
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
  it('takes along what a name showed before', async () => {
    const source = openStores();
    for (const n of [1, 2]) await publishTo(source.roles, aPublication(n));
    const name = { account: ACCOUNT, token: '0123456789abcdefghijkl' as NameToken, now: START, limit: null };
    for (const role of [aRoleId(1), aRoleId(2)]) {
      await source.names.set({ ...name, name: 'docs' as PinName, role }, []);
    }
    const target = openStores();
    await importInto(target, await recordsOf(source));
    const names = (await recordsOf(target)).filter(({ kind }) => kind === 'name');
    expect(names.map(({ value }) => value)).to.deep.include.members([
      {
        account: ACCOUNT,
        name: 'docs',
        token: name.token,
        role: aRoleId(2),
        updatedAt: START,
        previous: aRoleId(1),
      },
    ]);
    expect(await recordsOf(target)).to.deep.equal(await recordsOf(source));
  });

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

  it('numbers events of no account in the feed of all accounts alone, and leaves what is in order where it is', async () => {
    for (const isSerial of [false, true]) {
      const target = openStores({ isSerial });
      await importInto(target, eventsOf(9));
      const placed = await target.database.read(places, undefined);
      expect(placed.map(({ sequence }) => sequence)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9]);
      const own = placed.map(({ accountFeedNumber }) => accountFeedNumber);
      expect(own).to.deep.equal([1, 1, null, 2, 2, null, 3, 3, null]);
    }
  });

  it('takes of two records with one key the first alone, with all that belongs to it', async () => {
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

  it('takes of two names with one token the first, and passes over the removal of an unknown publication', async () => {
    const target = openStores();
    const name = { account: ACCOUNT, token: '0'.repeat(22) as NameToken, role: aRoleId(1), updatedAt: START };
    const names = ['one', 'two'].map(
      (text) => ({ kind: 'name', value: { ...name, name: text as PinName } }) as const,
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

  it('shows a name whose publication is missing as one of a stopped publication', async () => {
    const target = openStores();
    const name = { account: ACCOUNT, token: '0'.repeat(22) as NameToken, role: aRoleId(1), updatedAt: START };
    await importInto(target, [{ kind: 'name', value: { ...name, name: 'docs' as PinName } }]);
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

  it('refuses changes until it has ended, also those that find nothing to change', async () => {
    const stores = openStores();
    const changes: Readonly<Record<string, () => Promise<unknown>>> = {
      'revoke a key': () => stores.apiKeys.revoke(anApiKeyId(1), LATER, []),
      'end a session': () => stores.sessions.end(aTokenHash(1), []),
      'redeem a link': () => {
        const { tokenHash, startedAt, endsAt, displayName, apiKey } = aSession(1);
        const session = { tokenHash, startedAt, endsAt, displayName, apiKey };
        return stores.sessions.redeem({ link: aTokenHash(1), now: START, session }, []);
      },
      'lift a takedown': () => stores.takedowns.lift(aTakedown(1), LATER, []),
      'claim a purge': () => stores.takedowns.claimPurge({ role: aRoleId(1), token: TOKEN, until: LATER }),
      'record an expiration': () => stores.history.recordExpired([anEvent({ pin: aRoleId(1) })]),
      'drop events': () => stores.history.drop(LATER, 10),
      'thin events': () => stores.history.trimEvents({ since: START, until: LATER, keep: 1, limit: 10 }),
      'purge keys': () => stores.apiKeys.purge(LATER, 10),
      'purge sessions': () => stores.sessions.purge(LATER, 10),
      'purge pairings': () => stores.pairings.purge(LATER, 10),
      'purge reservations': () => stores.roles.purge(LATER, 10),
      'register a pairing': () => stores.pairings.register(aRegistration(1)),
    };
    await stores.imports.begin(TOKEN);
    for (const [what, change] of Object.entries(changes)) {
      const fault = await change().catch((error: unknown) => error);
      expect(fault, what).to.have.property('code', 'store_unavailable');
    }
    await stores.imports.end(TOKEN);
    for (const change of Object.values(changes)) await change();
  });
});
