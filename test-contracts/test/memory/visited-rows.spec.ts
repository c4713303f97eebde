import { createMemory } from '@pinfold/memory';
import { MemoryTable } from '@pinfold/memory/internal';
import {
  ACCOUNT,
  anEvent,
  aPublication,
  aRoleId,
  aSession,
  publishTo,
} from '@pinfold/test-contracts/fixtures';
import { asks } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';

type Rows = ReturnType<MemoryTable['search']>['rows'];

const EVENTS = 3_000;
/** Rows that are looked at beside those that are asked for. */
const FEW = 100;

/** Counts the rows that searches look at. */
async function visitedBy(work: () => Promise<unknown>): Promise<number> {
  const { search } = MemoryTable.prototype;
  let visited = 0;
  const counted = function* (rows: Rows): Rows & Generator {
    for (const row of rows) {
      visited += 1;
      yield row;
    }
  };
  MemoryTable.prototype.search = function (...asked) {
    const found = search.apply(this, asked);
    return { ...found, rows: counted(found.rows) };
  };
  try {
    await work();
  } finally {
    MemoryTable.prototype.search = search;
  }
  return visited;
}

async function storesWithEvents() {
  const stores = createMemory();
  for (let n = 0; n < EVENTS; n += 1_000) {
    await stores.sessions.begin(
      aSession(n),
      Array.from({ length: 1_000 }, () => anEvent({ pin: aRoleId(1) })),
    );
  }
  return stores;
}

describe('the rows that the memory looks at', () => {
  it('are each event but a few times to number them all, and a page of the feed after that', async () => {
    const { history } = await storesWithEvents();
    const feed = (account: typeof ACCOUNT | undefined, after: number) =>
      history.feed({ account, pin: undefined, after, limit: 10 });
    expect(await visitedBy(() => feed(undefined, 0))).to.be.within(EVENTS, 2 * EVENTS + FEW);
    expect(await visitedBy(() => feed(undefined, EVENTS - 20))).to.be.within(10, FEW);
    expect(await visitedBy(() => feed(ACCOUNT, EVENTS - 20))).to.be.within(10, FEW);
  });

  it('are few to append an event to a long history, and to read a page of it', async () => {
    const { sessions, history } = await storesWithEvents();
    expect(await visitedBy(() => sessions.begin(aSession(1), [anEvent()]))).to.be.below(FEW);
    const query = { pin: undefined, since: undefined, after: undefined, limit: 10 };
    for (const account of [ACCOUNT, undefined]) {
      expect(await visitedBy(() => history.list({ account, ...query }))).to.be.within(10, FEW);
    }
  });

  it('are few for a publication among many, and for each page of their list', async () => {
    const { roles } = createMemory();
    for (let n = 1; n <= 300; n += 1) await publishTo(roles, aPublication(n));
    expect(await visitedBy(() => publishTo(roles, aPublication(301)))).to.be.below(FEW);
    let { next: after } = await roles.list(asks({ limit: 10 }));
    for (const order of [undefined, 'ending', 'largest'] as const) {
      const visited = await visitedBy(async () => {
        ({ next: after } = await roles.list(asks({ limit: 10, order, after })));
      });
      expect(visited, order).to.be.within(10, FEW);
      after = undefined;
    }
  });
});
