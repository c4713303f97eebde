import { Fault, isFault } from '@pinfold/core';
import {
  all,
  defineProgram,
  defineTable,
  find,
  get,
  insert,
  json,
  type RecordTable,
  StepError,
  scan,
  text,
  update,
} from '@pinfold/core/records';
import type { SqlPlan } from '@pinfold/core/sql';
import { expect } from 'chai';
import { postgresPlace } from 'pinfold-test-servers/mocha';
import { PostgresDatabase } from '../src/database/postgres-database.ts';
import { JoinedReads } from '../src/database/postgres-session.ts';
import { PostgresConnection } from '../src/engine/postgres-connection.ts';
import { fakeServer, findOne, POTS, serverError } from './fake-server.ts';
import { PIPELINED } from './open-database.ts';

const LABELS: RecordTable<{ readonly name: string; readonly texts: readonly string[] }, 'name'> = defineTable(
  {
    name: 'labels',
    columns: { name: text, texts: json },
    key: ['name'],
    guards: undefined,
  },
);

/** Reads twice, one after another, and writes three rows. */
const spread = defineProgram('pots.spread', {
  locks: () => ({ exclusive: ['b'], shared: ['a'] }),
  *run() {
    yield* all(get(POTS, { name: 'a' }), get(POTS, { name: 'b' }));
    yield* insert(POTS, { name: 'c', coins: 1 });
    yield* get(POTS, { name: 'c' });
    yield* all(insert(POTS, { name: 'd', coins: 1 }), update(POTS, { name: 'a' }, { coins: 0 }));
    return 'done';
  },
});
const failing = defineProgram('pots.fail', {
  *run() {
    yield* get(POTS, { name: 'a' });
    throw new Error('a mistake of the program');
  },
});
/** Reads and writes in one step. */
const mixed = defineProgram('pots.mix', {
  *run() {
    yield* all(
      get(POTS, { name: 'a' }),
      get(POTS, { name: 'b' }),
      update(POTS, { name: 'a' }, { coins: 2 }),
      get(POTS, { name: 'a' }),
      find(POTS, {}, { order: ['name'], limit: 10 }),
    );
  },
});

const RANGE = { order: ['name'], limit: 2, maxScanned: 5, mayScanMore: false } as const;
const searching = defineProgram('pots.search', { run: () => scan(POTS, {}, { coins: 1 }, RANGE) });

/** The round trips of a program, without the one that checks that the server is the primary one. */
function tripsFromBegin(trips: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return trips.slice(trips.findIndex(([sql]) => sql?.startsWith('BEGIN')));
}

describe('the database in PostgreSQL', () => {
  it('sends writes with the next read, and the last ones with the commit', async () => {
    const { database, trips } = fakeServer(true);
    expect(await database.write(spread, undefined)).to.equal('done');
    const kinds = tripsFromBegin(trips).map((trip) => trip.map((sql) => /^\w+/.exec(sql)?.[0]));
    expect(kinds).to.deep.equal([
      ['BEGIN', 'SELECT'],
      ['INSERT', 'SELECT'],
      ['INSERT', 'UPDATE', 'COMMIT'],
    ]);
  });

  it('joins the reads of one step in one statement, before later writes', async () => {
    const { database, trips } = fakeServer(true);
    await database.write(mixed, undefined);
    const sent = tripsFromBegin(trips).flat();
    expect(sent.map((sql) => /^\w+/.exec(sql)?.[0])).to.deep.equal([
      'BEGIN',
      'SELECT',
      'UPDATE',
      'SELECT',
      'SELECT',
      'COMMIT',
    ]);
    expect(sent[1]).to.match(/json_build_array.*\$1.*\$2/);
  });

  it('scans in one statement, so that rows and end see one state', async () => {
    const { database, trips } = fakeServer(true);
    expect(await database.write(searching, undefined)).to.deep.equal({ rows: [], scannedTo: undefined });
    expect(tripsFromBegin(trips).flat()).to.have.lengthOf(3);
  });

  it('does not mistake a quoted name for a parameter', () => {
    const plan = (text: string): SqlPlan => ({
      text,
      values: () => [],
      result: undefined,
      isOneRow: false,
      isPlannedEachTime: false,
    });
    const { text } = new JoinedReads().statementOf([
      plan('SELECT $1 FROM "a$1"".$1" WHERE b = $2'),
      plan('SELECT $1 FROM "a$1"'),
    ]);
    expect(text).to.include('SELECT $1 FROM "a$1"".$1" WHERE b = $2').and.include('SELECT $3 FROM "a$1"');
  });

  it('waits for each statement on a connection without pipelining', async () => {
    const { database, trips } = fakeServer(false);
    await database.write(spread, undefined);
    expect(tripsFromBegin(trips).map((trip) => trip.length)).to.deep.equal(
      Array.from({ length: 7 }, () => 1),
    );
  });

  it('takes the locks of a program in one order, together with BEGIN', async () => {
    const { database, trips } = fakeServer(true);
    await database.write(spread, undefined);
    const [[begin] = []] = tripsFromBegin(trips);
    const locks = begin?.match(/pg_advisory_xact_lock\w*/g);
    expect(locks).to.deep.equal(['pg_advisory_xact_lock_shared', 'pg_advisory_xact_lock']);
  });

  for (const isPipelined of [true, false]) {
    const how = isPipelined ? 'pipelines' : 'does not pipeline';

    it(`retries a program that was rolled back, on a connection that ${how}`, async () => {
      let refusals = 2;
      const { database, trips, released } = fakeServer(isPipelined, (sql) => {
        if (!sql.startsWith('UPDATE') || refusals === 0) return undefined;
        refusals -= 1;
        return serverError('40001');
      });
      expect(await database.write(spread, undefined)).to.equal('done');
      expect(trips.flat().filter((sql) => sql.startsWith('BEGIN'))).to.have.length(3);
      expect(released).to.not.include(true);
    });

    it(`undoes a program that throws, and does not retry it, on a connection that ${how}`, async () => {
      const { database, trips, released } = fakeServer(isPipelined);
      const error = await database.write(failing, undefined).catch((reason: Error) => reason.message);
      expect(error).to.equal('a mistake of the program');
      const sent = trips.flat();
      expect(sent.filter((sql) => sql.startsWith('BEGIN'))).to.have.length(1);
      expect([sent.at(-1), released]).to.deep.equal(['ROLLBACK', [false]]);
    });

    it(`rolls back a program whose last write cannot be encoded, on a connection that ${how}`, async () => {
      const { database, trips } = fakeServer(isPipelined);
      const run = () => update(LABELS, { name: 'a' }, { texts: 1n as never });
      const label = defineProgram('labels.set', { run });
      const error = await database.write(label, undefined).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(TypeError);
      expect(trips.flat().at(-1)).to.equal('ROLLBACK');
    });

    it(`puts the first step that failed into a fault, on a connection that ${how}`, async () => {
      const { database } = fakeServer(isPipelined, (sql) => {
        if (sql.startsWith('INSERT')) return serverError('57014');
        return sql.startsWith('SELECT t0') ? serverError('25P02') : undefined;
      });
      const onlyWrites = defineProgram('pots.add', {
        *run() {
          yield* insert(POTS, { name: 'c', coins: 1 });
          yield* get(POTS, { name: 'c' });
        },
      });
      const fault = (await database.write(onlyWrites, undefined).catch((reason) => reason)) as Error;
      expect(isFault(fault)).to.equal(true);
      expect(fault.cause).to.be.instanceOf(StepError);
      expect((fault.cause as Error).message).to.equal('pots.add: insert in pots (name) failed');
    });
  }

  it('undoes a program that throws a fault between its writes, and reuses its connection', async () => {
    const place = await postgresPlace();
    try {
      const connection = new PostgresConnection(place.pool({ ...PIPELINED, max: 1 }), async () => {});
      const database = new PostgresDatabase(connection, place.schema, { tables: [POTS] });
      await database.migrate();
      const fault = new Fault('archive_missing', 'a fault of the program');
      const failAfter = defineProgram('pots.fail_after', {
        *run() {
          yield* insert(POTS, { name: 'a', coins: 1 });
          yield* get(POTS, { name: 'a' });
          yield* insert(POTS, { name: 'b', coins: 1 });
          throw fault;
        },
      });
      expect(await database.write(failAfter, undefined).catch((reason) => reason)).to.equal(fault);
      expect(await database.read(findOne, undefined)).to.equal(undefined);
      const add = defineProgram('pots.add', { run: () => insert(POTS, { name: 'a', coins: 3 }) });
      await database.write(add, undefined);
      expect(await database.read(findOne, undefined)).to.deep.equal({ name: 'a', coins: 3 });
    } finally {
      await place.dispose();
    }
  }).timeout(60_000);

  it('shows the line of the program whose step the server refused', async () => {
    const { database } = fakeServer(true, (sql) =>
      sql.startsWith('SELECT t0') ? serverError('42703') : undefined,
    );
    const error = (await database.write(spread, undefined).catch((reason) => reason)) as Error;
    expect(error.message).to.equal('pots.spread: get in pots (name) failed');
    expect(error.stack).to.match(/run[^\n]*postgres-database\.spec\.ts/);
    expect((await database.read(findOne, undefined).catch((reason) => reason)) as Error).to.include({
      message: 'pots.find: get in pots (name) failed',
    });
  });
});
