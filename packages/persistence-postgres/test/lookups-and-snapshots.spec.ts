import { defineLookup, type Lookup } from '@pinfold/core/records';
import { expect } from 'chai';
import { fakeServer, findOne, POTS, serverError } from './fake-server.ts';

const POT: Lookup<{ readonly coins: number }> = defineLookup('pots.find_by_name', {
  table: POTS,
  by: 'name',
  select: ['name', 'coins'],
  references: {},
  make: ({ row }) => row,
});

describe('lookups and snapshots of the database in PostgreSQL', () => {
  it('reads nothing through a snapshot once its end has begun, and ends it once', async () => {
    const { database, trips, released } = fakeServer(true);
    const snapshot = await database.openSnapshot();
    const closing = [snapshot.close(), snapshot.close()];
    const fault = await snapshot.read(findOne, undefined).catch((reason) => reason.code);
    await Promise.all(closing);
    expect(fault).to.equal('store_unavailable');
    expect(trips.flat().filter((sql) => sql.includes('pots'))).to.deep.equal([]);
    expect(released).to.deep.equal([false]);
  });

  it('ends the wait for a snapshot that is aborted, and releases its connection later', async () => {
    const { database, released } = fakeServer(true);
    const caller = new AbortController();
    const opening = database.openSnapshot(caller.signal).catch((reason) => reason);
    caller.abort('left');
    expect(await opening).to.equal('left');
    expect(released, 'too early').to.deep.equal([]);
    while (released.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(released).to.deep.equal([false]);
  });

  it('joins the lookups of one turn in one statement, and looks a single key up separately', async () => {
    const { database, trips } = fakeServer(true);
    await database.peek(POT, 'a');
    await Promise.all(['a', 'b', 'a', 'c'].map((name) => database.peek(POT, name)));
    await database.peek(POT, 'b');
    const [one, several, again, ...more] = trips.flat().filter((sql) => sql.includes('pots'));
    expect([one, more]).to.deep.equal([again, []]);
    expect(one).to.include('= $1');
    expect(several).to.include('= ANY ($1');
  });

  it('ends the wait of a lookup that is aborted, and no other one', async () => {
    const { database, trips } = fakeServer(true);
    const [early, late] = [new AbortController(), new AbortController()];
    const found = [
      database.peek(POT, 'a', early.signal),
      database.peek(POT, 'b', late.signal),
      database.peek(POT, 'c'),
    ].map((value) => Promise.resolve(value).catch((reason) => reason));
    early.abort('left early');
    setImmediate(() => late.abort('left late'));
    expect(await Promise.all(found)).to.deep.equal(['left early', 'left late', undefined]);
    expect(trips.flat().filter((sql) => sql.includes('pots'))).to.have.length(1);
  });

  it('fails the lookup of a key that the server refuses, and no other one of its turn', async () => {
    const { database } = fakeServer(true, (_, values) =>
      JSON.stringify(values).includes('bad') ? serverError('22021') : undefined,
    );
    const found = ['a', 'bad', 'c'].map((name) =>
      Promise.resolve(database.peek(POT, name)).catch((reason) => reason.code),
    );
    expect(await Promise.all(found)).to.deep.equal([undefined, '22021', undefined]);
  });

  it('is unavailable for every lookup of a turn if the server is', async () => {
    const { database } = fakeServer(true, (sql) => (sql.includes('pots') ? serverError('57014') : undefined));
    const found = ['a', 'b'].map((name) =>
      Promise.resolve(database.peek(POT, name)).catch((reason) => reason.code),
    );
    expect(await Promise.all(found)).to.deep.equal(['store_unavailable', 'store_unavailable']);
  });
});
