import { Fault, isFault } from '@pinfold/core';
import {
  all,
  defineLookup,
  defineProgram,
  defineQuery,
  defineTable,
  find,
  get,
  insert,
  integer,
  type Lookup,
  type RecordTable,
  StepError,
  scan,
  text,
  update,
} from '@pinfold/core/records';
import type { SqlPlan } from '@pinfold/core/sql';
import { expect } from 'chai';
import type { PoolConfig } from 'pg';
import { postgresPlace } from 'pinfold-test-servers/mocha';
import { JoinedReads } from '../src/database/joined-reads.ts';
import { PostgresDatabase } from '../src/database/postgres-database.ts';
import { PostgresConnection, type PostgresPool } from '../src/engine/postgres-connection.ts';

interface Pot {
  readonly name: string;
  readonly coins: number;
}

const POTS: RecordTable<Pot, 'name'> = defineTable({
  name: 'pots',
  columns: { name: text, coins: integer },
  key: ['name'],
  guards: undefined,
});

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
const findOne = defineQuery('pots.find', () => get(POTS, { name: 'a' }));

const POT: Lookup<Pot> = defineLookup('pots.look', {
  table: POTS,
  by: 'name',
  select: ['name', 'coins'],
  references: {},
  make: ({ row }) => row,
});

interface Server {
  readonly database: PostgresDatabase;
  /** The statements sent while all earlier ones were answered, each with those sent before its answer. */
  readonly trips: string[][];
  readonly released: (boolean | undefined)[];
}

/** A server that answers each statement in a later turn; `refuse` gives the error of one. */
function serve(
  isPipelined: boolean,
  refuse: (sql: string, values: readonly unknown[]) => Error | undefined = () => undefined,
): Server {
  const trips: string[][] = [];
  const released: (boolean | undefined)[] = [];
  let isAnswered = true;
  const client = {
    pipeline: isPipelined,
    query: async ({
      text: sql,
      values = [],
    }: {
      readonly text: string;
      readonly values?: readonly unknown[];
    }) => {
      if (isAnswered) trips.push([]);
      isAnswered = false;
      trips.at(-1)?.push(sql);
      await new Promise((resolve) => setImmediate(resolve));
      isAnswered = true;
      const error = refuse(sql, values);
      if (error !== undefined) throw error;
      return { rows: rowsOf(sql), rowCount: 0 };
    },
    release: (isBroken?: boolean) => released.push(isBroken),
    on: () => undefined,
  };
  const pool: PostgresPool = { connect: async () => client, on: () => undefined, off: () => undefined };
  const connection = new PostgresConnection(pool, async () => {});
  return { database: new PostgresDatabase(connection, 'place', { tables: [POTS] }), trips, released };
}

function rowsOf(sql: string): object[] {
  if (sql.includes('pg_is_in_recovery')) return [{ standby: false }];
  return sql.includes('json_build_array') ? [{ parts: [[], []] }] : [];
}

function ofServer(code: string): Error {
  return Object.assign(new Error('refused'), { code, severity: 'ERROR' });
}

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
function begun(trips: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return trips.slice(trips.findIndex(([sql]) => sql?.startsWith('BEGIN')));
}

describe('the database in PostgreSQL', () => {
  it('sends writes with the next read, and the last ones with the commit', async () => {
    const { database, trips } = serve(true);
    expect(await database.write(spread, undefined)).to.equal('done');
    const kinds = begun(trips).map((trip) => trip.map((sql) => /^\w+/.exec(sql)?.[0]));
    expect(kinds).to.deep.equal([
      ['BEGIN', 'SELECT'],
      ['INSERT', 'SELECT'],
      ['INSERT', 'UPDATE', 'COMMIT'],
    ]);
  });

  it('joins the reads of one step in one statement, before later writes', async () => {
    const { database, trips } = serve(true);
    await database.write(mixed, undefined);
    const sent = begun(trips).flat();
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
    const { database, trips } = serve(true);
    expect(await database.write(searching, undefined)).to.deep.equal({ rows: [], scannedTo: undefined });
    expect(begun(trips).flat()).to.have.lengthOf(3);
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
    const { database, trips } = serve(false);
    await database.write(spread, undefined);
    expect(begun(trips).map((trip) => trip.length)).to.deep.equal(Array.from({ length: 7 }, () => 1));
  });

  it('takes the locks of a program in one order, together with BEGIN', async () => {
    const { database, trips } = serve(true);
    await database.write(spread, undefined);
    const [[begin] = []] = begun(trips);
    const locks = begin?.match(/pg_advisory_xact_lock\w*/g);
    expect(locks).to.deep.equal(['pg_advisory_xact_lock_shared', 'pg_advisory_xact_lock']);
  });

  for (const isPipelined of [true, false]) {
    const how = isPipelined ? 'pipelines' : 'does not pipeline';

    it(`retries a program that was rolled back, on a connection that ${how}`, async () => {
      let left = 2;
      const { database, trips, released } = serve(isPipelined, (sql) => {
        if (!sql.startsWith('UPDATE') || left === 0) return undefined;
        left -= 1;
        return ofServer('40001');
      });
      expect(await database.write(spread, undefined)).to.equal('done');
      expect(trips.flat().filter((sql) => sql.startsWith('BEGIN'))).to.have.length(3);
      expect(released).to.not.include(true);
    });

    it(`undoes a program that throws, and does not retry it, on a connection that ${how}`, async () => {
      const { database, trips, released } = serve(isPipelined);
      const error = await database.write(failing, undefined).catch((reason: Error) => reason.message);
      expect(error).to.equal('a mistake of the program');
      const sent = trips.flat();
      expect(sent.filter((sql) => sql.startsWith('BEGIN'))).to.have.length(1);
      expect([sent.at(-1), released]).to.deep.equal(['ROLLBACK', [false]]);
    });

    it(`puts the first step that failed into a fault, on a connection that ${how}`, async () => {
      const { database } = serve(isPipelined, (sql) => {
        if (sql.startsWith('INSERT')) return ofServer('57014');
        return sql.startsWith('SELECT t0') ? ofServer('25P02') : undefined;
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
      // Types of `pg` do not have `pipeline` yet.
      const config: PoolConfig & { readonly pipeline: boolean } = { max: 1, pipeline: true };
      const connection = new PostgresConnection(place.pool(config), async () => {});
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

  it('joins the lookups of one turn in one statement, and looks a single key up separately', async () => {
    const { database, trips } = serve(true);
    await database.peek(POT, 'a');
    await Promise.all(['a', 'b', 'a', 'c'].map((name) => database.peek(POT, name)));
    await database.peek(POT, 'b');
    const [one, several, again, ...more] = trips.flat().filter((sql) => sql.includes('pots'));
    expect([one, more]).to.deep.equal([again, []]);
    expect(one).to.include('= $1');
    expect(several).to.include('= ANY ($1');
  });

  it('ends the wait of a lookup that is aborted, and no other one', async () => {
    const { database, trips } = serve(true);
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
    const { database } = serve(true, (_, values) =>
      JSON.stringify(values).includes('bad') ? ofServer('22021') : undefined,
    );
    const found = ['a', 'bad', 'c'].map((name) =>
      Promise.resolve(database.peek(POT, name)).catch((reason) => reason.code),
    );
    expect(await Promise.all(found)).to.deep.equal([undefined, '22021', undefined]);
  });

  it('is unavailable for every lookup of a turn if the server is', async () => {
    const { database } = serve(true, (sql) => (sql.includes('pots') ? ofServer('57014') : undefined));
    const found = ['a', 'b'].map((name) =>
      Promise.resolve(database.peek(POT, name)).catch((reason) => reason.code),
    );
    expect(await Promise.all(found)).to.deep.equal(['store_unavailable', 'store_unavailable']);
  });

  it('shows the line of the program whose step the server refused', async () => {
    const { database } = serve(true, (sql) => (sql.startsWith('SELECT t0') ? ofServer('42703') : undefined));
    const error = (await database.write(spread, undefined).catch((reason) => reason)) as Error;
    expect(error.message).to.equal('pots.spread: get in pots (name) failed');
    expect(error.stack).to.match(/run[^\n]*postgres-database\.spec\.ts/);
    expect((await database.read(findOne, undefined).catch((reason) => reason)) as Error).to.include({
      message: 'pots.find: get in pots (name) failed',
    });
  });
});
