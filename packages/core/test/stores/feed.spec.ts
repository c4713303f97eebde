import { ACCOUNT, anEvent, aSession, aToken, START } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { after, days, duration, type HistoryEvent } from '../../src/index.ts';
import { newDatabase, storesOver } from './memory-stores.ts';

const ALL = { account: undefined, pin: undefined, after: 0, limit: 10 };

/** Stores over a database that notes the programs which write. */
function openStores({ isSerial = false } = {}) {
  const database = newDatabase();
  const written: string[] = [];
  const write: typeof database.write = (program, args) => {
    written.push(program.name);
    return database.write(program, args);
  };
  const handle = Object.assign(database.peer(), { write, isSerial });
  const stores = storesOver(handle);
  const store = (...events: readonly HistoryEvent[]) =>
    stores.sessions.begin(aSession(events.length), events);
  const programsOf = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    written.length = 0;
    await work();
    return written.slice();
  };
  return { ...stores, store, programsOf };
}

describe('the feed of all accounts', () => {
  it('is numbered by its first reader, and not again until there is another event', async () => {
    const { history, store, programsOf } = openStores();
    await store(anEvent());
    expect(await programsOf(() => history.feed(ALL))).to.deep.equal(['history.begin', 'history.number']);
    expect(await programsOf(() => history.feed(ALL))).to.deep.equal([]);
    expect(await programsOf(() => history.drop(START, 10))).to.deep.equal([]);
    await store(anEvent(), anEvent());
    expect(await programsOf(() => history.drop(START, 10))).to.deep.equal(['history.number']);
  });

  it('is not numbered if programs run one after the other', async () => {
    const { history, store, programsOf } = openStores({ isSerial: true });
    await store(anEvent());
    expect(await programsOf(() => history.feed(ALL))).to.deep.equal(['history.begin']);
    expect(await programsOf(() => history.drop(START, 10))).to.deep.equal([]);
  });

  it('can be read while an import is unfinished, whose events have no numbers yet', async () => {
    const { history, imports } = openStores();
    await imports.begin(aToken(1));
    await imports.saveRecords(aToken(1), [{ kind: 'event', value: anEvent() }]);
    expect((await history.feed(ALL)).items).to.deep.equal([]);
  });

  it('refuses a cursor before its beginning, even if the event still exists', async () => {
    const { history, store } = openStores();
    const late = anEvent({ recordedAt: after(START, days(2)) });
    await store(late, anEvent());
    await history.drop(after(START, days(1)), 10);
    const { begin, cursorEvent } = await history.feed({ ...ALL, account: ACCOUNT, after: 1 });
    expect([begin.number, cursorEvent]).to.deep.equal([2, undefined]);
  });

  it('begins after the last event that was removed, whichever came last', async () => {
    const { history, store } = openStores();
    const events = [3, 1, 2].map((n) => anEvent({ recordedAt: after(START, duration(n)) }));
    await store(...events);
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
