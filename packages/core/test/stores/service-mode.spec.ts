import { createMemoryDatabase } from '@pinfold/memory';
import { anEvent } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import type { HistoryEvent, Mode } from '../../src/index.ts';
import { EVENTS } from '../../src/records/tables/service-tables.ts';
import { type Database, defineQuery, find, TABLES } from '../../src/records.ts';
import { MODE_PROGRAMS, serviceMode } from '../../src/stores/service-mode.ts';

const READ_ONLY: Mode = { kind: 'read_only', message: 'Back at noon' };

const feed = defineQuery('test.feed', (account: HistoryEvent['account']) =>
  find(EVENTS, { account }, { order: ['at', 'id'], select: ['id', 'accountFeedNumber'] }),
);

function openDatabase() {
  return createMemoryDatabase({ tables: TABLES, programs: MODE_PROGRAMS });
}

async function numbersOf(database: Database, account: HistoryEvent['account']) {
  return (await database.read(feed, account)).map(({ accountFeedNumber }) => accountFeedNumber);
}

describe('the service mode in a database', () => {
  it('is normal until a peer changes it', async () => {
    const database = openDatabase();
    const [mode, other] = [serviceMode(database), serviceMode(database.peer())];
    expect(await mode.load()).to.deep.equal({ kind: 'normal', message: null });
    await other.change(READ_ONLY, []);
    expect(await mode.load()).to.deep.equal(READ_ONLY);
  });

  it('is changed with its events, and the same mode again leaves none', async () => {
    const database = openDatabase();
    const mode = serviceMode(database);
    const change = () => anEvent({ type: 'service.mode_changed', account: null });
    await Promise.all([mode.change(READ_ONLY, [change()]), mode.change({ ...READ_ONLY }, [change()])]);
    expect(await numbersOf(database, null)).to.deep.equal([null]);
  });

  it('numbers the events of an account without gaps', async () => {
    const database = openDatabase();
    const events = [anEvent(), anEvent(), anEvent()];
    const [{ account }] = events as [HistoryEvent];
    await serviceMode(database).change(READ_ONLY, events.slice(0, 2));
    await serviceMode(database).change({ kind: 'normal', message: null }, events.slice(2));
    expect((await numbersOf(database, account)).toSorted()).to.deep.equal([1, 2, 3]);
  });

  it('leaves a mode that it answered to its caller', async () => {
    const mode = serviceMode(openDatabase());
    Object.assign(await mode.load(), READ_ONLY);
    expect(await mode.load()).to.deep.equal({ kind: 'normal', message: null });
  });
});
