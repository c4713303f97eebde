import {
  ACCOUNT,
  anEvent,
  aPublication,
  aReservation,
  aRole,
  leaseOf,
  publishTo,
  START,
} from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { hours, type NameToken, type PinName } from '../../src/index.ts';
import { type Database, isWrite, type Step, type Steps } from '../../src/records.ts';
import { newDatabase, storesOver } from './memory-stores.ts';

/** The steps that write, in their order. */
const written: Step<unknown>[] = [];

function actionsIn(step: Step<unknown>): readonly Step<unknown>[] {
  return step.action.kind === 'all' ? step.action.steps.flatMap(actionsIn) : [step];
}

/** Counts how often a program waits for the database: for each of its reads, and in the end for its writes. */
function* counting<Result>(
  steps: Steps<Result, never>,
  count: () => void,
): Generator<Step<unknown, never>, Result, unknown> {
  let next = steps.next();
  while (next.done !== true) {
    if (!isWrite(next.value)) count();
    else written.push(...actionsIn(next.value));
    next = steps.next(yield next.value);
  }
  return next.value;
}

/** Stores over a database that counts round trips, like one that sends writes together with the commit of a program. */
function openStores({ isSerial = false } = {}) {
  const memory = newDatabase();
  let [trips, writes] = [0, 0];
  const count = (): void => {
    trips += 1;
  };
  const counted: Pick<Database, 'read' | 'snapshot' | 'write'> = {
    snapshot: (query, args, signal) =>
      memory.snapshot({ ...query, run: (own) => counting(query.run(own) as never, count) }, args, signal),
    read: (query, args, signal) =>
      memory.read({ ...query, run: (own) => counting(query.run(own) as never, count) }, args, signal),
    write: (program, args) => {
      count();
      writes += 1;
      return memory.write({ ...program, run: (own) => counting(program.run(own) as never, count) }, args);
    },
  };
  const pause = async (): Promise<void> => undefined;
  const database = { isSerial, pause, ...counted } as Database;
  return {
    stores: storesOver(database),
    memory,
    tripsSoFar: () => trips,
    writesSoFar: () => writes,
  };
}

const LIMITS = {
  publications: { count: 9, window: hours(1) },
  sites: 9,
  bytes: 1_000_000,
  names: 9,
};

describe('the round trips to a database', () => {
  it('are four for a publication, with and without limits', async () => {
    for (const limits of [undefined, LIMITS]) {
      const { stores, tripsSoFar } = openStores();
      const more = limits === undefined ? {} : { limits, name: 'latest' as PinName };
      const reservation = aReservation(1, more);
      await stores.roles.reserve(reservation);
      expect(tripsSoFar(), 'of the reservation').to.equal(2);
      const named = { name: 'latest' as PinName, token: '0'.repeat(22) as NameToken };
      const publication = {
        ...aPublication(1),
        ...(limits === undefined ? {} : { limits, name: named }),
        credential: { key: 'k1' as never },
      };
      const outcome = await stores.roles.commit(publication, leaseOf(reservation), [anEvent()]);
      expect(outcome.kind).to.equal('committed');
      expect(tripsSoFar()).to.equal(4);
    }
  });

  it('are two for a change of a role, and one for a page of a list or of the history', async () => {
    const { stores, memory, tripsSoFar } = openStores();
    const plain = storesOver(memory);
    await publishTo(plain.roles, aPublication(1));
    const loaded = await plain.roles.load(aRole(1).id);
    if (loaded === undefined) throw new Error('the role is not there');
    const { value, version } = loaded;
    await stores.roles.save({ ...value, title: null }, version, [anEvent(), anEvent()]);
    expect(tripsSoFar(), 'of the change').to.equal(2);
    const all = { account: ACCOUNT, state: undefined, search: undefined, order: undefined } as const;
    await stores.roles.list({ ...all, now: START, idempotencyKey: undefined, after: undefined, limit: 9 });
    expect(tripsSoFar(), 'of the list').to.equal(3);
    await stores.history.list({
      account: ACCOUNT,
      pin: undefined,
      since: undefined,
      after: undefined,
      limit: 9,
    });
    expect(tripsSoFar(), 'of the history').to.equal(4);
  });

  it('carry only the changed members of a saved publication', async () => {
    const { stores, memory } = openStores();
    await publishTo(storesOver(memory).roles, aPublication(1));
    const loaded = await storesOver(memory).roles.load(aRole(1).id);
    if (loaded === undefined) throw new Error('the role is not there');
    written.length = 0;
    await stores.roles.save({ ...loaded.value, title: null }, loaded.version, [anEvent()]);
    const [changes] = written.flatMap(({ action }) =>
      'changes' in action ? [Object.keys(action.changes)] : [],
    );
    expect(changes).to.have.members(['title', 'titleFolded', 'version', 'lastEventAt']);
  });

  it('is one for the feed of an account, even if events wait for their numbers in the feed of all', async () => {
    const { stores, memory, tripsSoFar, writesSoFar } = openStores();
    const plain = storesOver(memory);
    const feedQuery = { account: ACCOUNT, pin: undefined, after: 0, limit: 9 };
    await plain.history.feed(feedQuery);
    await publishTo(plain.roles, aPublication(1));
    expect((await stores.history.feed(feedQuery)).items).to.have.length(1);
    expect([tripsSoFar(), writesSoFar()]).to.deep.equal([1, 0]);
  });

  it('are two reads without locks for a replay if programs run one after the other', async () => {
    const { stores, memory, tripsSoFar, writesSoFar } = openStores({ isSerial: true });
    const plain = storesOver(memory);
    await plain.roles.reserve(aReservation(1));
    expect(await stores.roles.reserve(aReservation(1))).to.have.property('kind', 'in_progress');
    await plain.roles.commit(aPublication(1), leaseOf(aReservation(1)), []);
    expect(await stores.roles.reserve(aReservation(1))).to.have.property('kind', 'complete');
    expect([tripsSoFar(), writesSoFar()]).to.deep.equal([4, 0]);
  });
});
