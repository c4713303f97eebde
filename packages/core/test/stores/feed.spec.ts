import { ACCOUNT, anEvent, aSession, aToken, START } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { after, days, duration, type HistoryEvent } from '../../src/index.ts';
import { newDatabase, storesOver } from './memory-stores.ts';

const ALL = { account: undefined, pin: undefined, after: 0, limit: 10 };

/** Opens stores that record the names of the programs that write. */
function openStores({ isSerial = false } = {}) {
  const database = newDatabase();
  const written: string[] = [];
  const write: typeof database.write = (program, args) => {
    written.push(program.name);
    return database.write(program, args);
  };
  const handle = Object.assign(database.peer(), { write, isSerial });
  const stores = storesOver(handle);
  // A session is one of the records that are stored together with events.
  const storeEvents = (...events: readonly HistoryEvent[]) =>
    stores.sessions.begin(aSession(events.length), events);
  const programsOf = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    written.length = 0;
    await work();
    return written.slice();
  };
  return { ...stores, storeEvents, programsOf };
}

describe('the feed of all accounts', () => {
  it('is numbered by its first reader, and not again until there is another event', async () => {
    const { history, storeEvents, programsOf } = openStores();
    await storeEvents(anEvent());
    expect(await programsOf(() => history.feed(ALL))).to.deep.equal(['history.begin', 'history.number']);
    expect(await programsOf(() => history.feed(ALL))).to.deep.equal([]);
    expect(await programsOf(() => history.drop(START, 10))).to.deep.equal([]);
    await storeEvents(anEvent(), anEvent());
    expect(await programsOf(() => history.drop(START, 10))).to.deep.equal(['history.number']);
  });

  it('is not numbered if programs run one after the other', async () => {
    const { history, storeEvents, programsOf } = openStores({ isSerial: true });
    await storeEvents(anEvent());
    expect(await programsOf(() => history.feed(ALL))).to.deep.equal(['history.begin']);
    expect(await programsOf(() => history.drop(START, 10))).to.deep.equal([]);
  });

  it('can be read while an import is unfinished: its events have no numbers yet', async () => {
    const { history, imports } = openStores();
    await imports.begin(aToken(1));
    await imports.saveRecords(aToken(1), [{ kind: 'event', value: anEvent() }]);
    expect((await history.feed(ALL)).items).to.deep.equal([]);
  });

  it('finds no event for a cursor before its beginning, even if the event is still stored', async () => {
    const { history, storeEvents } = openStores();
    const late = anEvent({ recordedAt: after(START, days(2)) });
    await storeEvents(late, anEvent());
    await history.drop(after(START, days(1)), 10);
    const { begin, cursorEvent } = await history.feed({ ...ALL, account: ACCOUNT, after: 1 });
    expect([begin.number, cursorEvent]).to.deep.equal([2, undefined]);
  });

  it('begins after the highest number removed, in whatever order events were removed', async () => {
    const { history, storeEvents } = openStores();
    const events = [3, 1, 2].map((n) => anEvent({ recordedAt: after(START, duration(n)) }));
    await storeEvents(...events);
    for (const [before, number] of [
      [2, 2],
      [3, 3],
      [4, 3],
    ] as const) {
      await history.drop(after(START, duration(before)), 10);
      for (const account of [undefined, ACCOUNT]) {
        const { begin } = await history.feed({ ...ALL, account });
        expect(begin).to.deep.equal({ number, event: events[number - 1]?.id });
      }
    }
  });

  it('drops old events that belong to no account, too', async () => {
    const { history, mode } = openStores();
    await mode.change({ kind: 'read_only', message: null }, [anEvent({ account: null })]);
    expect(await history.drop(after(START, days(1)), 10)).to.equal(1);
  });
});
