import { setImmediate } from 'node:timers/promises';
import type { Clock } from '@pinfold/core';
import { refusalOf } from '@pinfold/core/internal';
import { rejectionOf } from '@pinfold/test-contracts/fixtures';
import { faultOf } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import {
  type PostgresClient,
  PostgresConnection,
  type PostgresPool,
} from '../src/engine/postgres-connection.ts';
import { COMMIT, unprepared } from '../src/engine/statement.ts';
import { serverError } from './fake-server.ts';

const BEGIN = unprepared('BEGIN');
const CHANGE = unprepared('CHANGE');
const SELECT = unprepared('SELECT');

const connectionReset = (): Error =>
  Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });

type Answers = Readonly<Record<string, readonly (Error | undefined)[]>>;

interface FakePool extends PostgresPool {
  /** Every statement that was sent, in order. */
  readonly sent: string[];
  /** For each connection returned to the pool, whether it had to be destroyed. */
  readonly released: boolean[];
}

/** A pool of one connection after another; the `n`th query with a text gets the `n`th answer of that text. */
function fakePool(answers: Answers, standby = false): FakePool {
  const sent: string[] = [];
  const released: boolean[] = [];
  let client: PostgresClient | undefined;
  const connect = (): PostgresClient => ({
    query: async ({ text }: { text: string }) => {
      if (text.includes('pg_is_in_recovery')) return { rows: [{ standby }], rowCount: 1 };
      const nth = sent.filter((one) => one === text).length;
      sent.push(text);
      const error = answers[text]?.[nth];
      if (error !== undefined) throw error;
      return { rows: [{ text }], rowCount: 1 };
    },
    release: (destroy = false) => {
      released.push(destroy);
      if (destroy) client = undefined;
    },
    on: () => {},
  });
  return {
    sent,
    released,
    connect: async () => {
      client ??= connect();
      return client;
    },
    on: () => {},
    off: () => {},
  };
}

/** A pool that opens a connection when none is idle, unless the server refuses it. */
function poolOfMany(refuse: () => Error | undefined) {
  const idle: PostgresClient[] = [];
  let count = 0;
  const open = (): PostgresClient => {
    count += 1;
    const client: PostgresClient = {
      query: async ({ text }: { text: string }) => ({ rows: [{ text, standby: false }] }),
      release: () => void idle.push(client),
      on: () => {},
    };
    return client;
  };
  const pool = {
    connect: async () => {
      const [refusal, client] = [refuse(), idle.pop()];
      if (client === undefined && refusal !== undefined) throw refusal;
      return client ?? open();
    },
    on: () => {},
    off: () => {},
    endIdle: (left: number) => void idle.splice(left),
  };
  return { pool, opened: () => count };
}

function recordWaits(): { readonly sleep: Clock['sleep']; readonly waits: number[] } {
  const waits: number[] = [];
  return {
    waits,
    sleep: async (length) => {
      waits.push(length);
    },
  };
}

function connectTo(pool: PostgresPool): PostgresConnection {
  return new PostgresConnection(pool, async () => {});
}

const change = (connection: PostgresConnection) =>
  connection.runWithRetries(
    async ({ run }) =>
      () =>
        run(CHANGE),
  );

/** Changes and reads in one transaction. */
const changeAndRead = (connection: PostgresConnection) =>
  connection.runWithRetries(async ({ run }) => {
    for (const statement of [BEGIN, CHANGE, SELECT]) await run(statement);
    return () => run(COMMIT);
  });

describe('PostgresConnection', () => {
  it('retries transactions that the server rolled back, with a longer wait each time', async () => {
    for (const code of ['40001', '40P01']) {
      const pool = fakePool({ CHANGE: [serverError(code), serverError(code)] });
      const { sleep, waits } = recordWaits();
      expect(await change(new PostgresConnection(pool, sleep))).to.deep.equal([{ text: 'CHANGE' }]);
      expect(pool.sent).to.deep.equal(['CHANGE', 'CHANGE', 'CHANGE']);
      expect(waits).to.deep.equal([1, 2]);
      expect(pool.released).to.deep.equal([false, false, false]);
    }
  });

  it('is unavailable if the server rolls back for five seconds', async () => {
    const failures = Array.from({ length: 1_000 }, () => serverError('40001'));
    const { sleep, waits } = recordWaits();
    const connection = new PostgresConnection(fakePool({ CHANGE: failures }), sleep);
    expect(await faultOf(change(connection))).to.include({
      code: 'store_unavailable',
      cause: failures[waits.length],
    });
    expect(waits.reduce((sum, wait) => sum + wait, 0)).to.be.within(4_900, 5_000);
  });

  it('never repeats a change whose answer was lost', async () => {
    for (const error of [
      connectionReset(),
      serverError('57P01'),
      serverError('08006'),
      serverError('25006'),
    ]) {
      const pool = fakePool({ CHANGE: [error] });
      expect(await faultOf(change(connectTo(pool)))).to.include({
        code: 'store_unavailable',
        cause: error,
      });
      expect(pool.sent).to.deep.equal(['CHANGE']);
      expect(pool.released, 'the connection is not used again').to.deep.equal([true]);
    }
  });

  it('sends all statements of a turn in one packet on a pipelined connection', async () => {
    const written: string[] = [];
    const stream = { cork: () => written.push('cork'), uncork: () => written.push('uncork') };
    const query = async ({ text }: { readonly text: string }) => {
      written.push(text);
      return { rows: [{ standby: false }], rowCount: 1 };
    };
    for (const pipeline of [true, false]) {
      const client = { pipeline, connection: { stream }, query, release: () => {}, on: () => {} };
      const pool = { connect: async () => client, on: () => {}, off: () => {} };
      await change(connectTo(pool));
      await setImmediate();
      written.length = 0;
      await connectTo(pool).runWithRetries(async ({ run }) => {
        await Promise.all([run(CHANGE), run(SELECT)]);
        return async () => undefined;
      });
      await setImmediate();
      const statements = ['CHANGE', 'SELECT'];
      expect(written).to.deep.equal(pipeline ? ['cork', ...statements, 'uncork'] : statements);
    }
  });

  it('repeats a read on another connection, a few times', async () => {
    const pool = fakePool({ SELECT: [connectionReset(), serverError('57P01')] });
    expect(await connectTo(pool).read(SELECT, [])).to.deep.equal([{ text: 'SELECT' }]);
    expect(pool.released).to.deep.equal([true, true, false]);
    const dead = fakePool({ SELECT: Array.from({ length: 99 }, connectionReset) });
    expect((await faultOf(connectTo(dead).read(SELECT, []))).code).to.equal('store_unavailable');
    expect(dead.sent).to.have.lengthOf(4);
  });

  it('repeats a transaction that broke before its commit was sent', async () => {
    const pool = fakePool({ SELECT: [connectionReset()] });
    await changeAndRead(connectTo(pool));
    expect(pool.sent).to.deep.equal(['BEGIN', 'CHANGE', 'SELECT', 'BEGIN', 'CHANGE', 'SELECT', 'COMMIT']);
    expect(pool.released).to.deep.equal([true, false]);
  });

  it('does not repeat a transaction whose commit was not answered', async () => {
    const pool = fakePool({ COMMIT: [connectionReset()] });
    expect((await faultOf(changeAndRead(connectTo(pool)))).code).to.equal('store_unavailable');
    expect(pool.sent).to.deep.equal(['BEGIN', 'CHANGE', 'SELECT', 'COMMIT']);
    expect(pool.released).to.deep.equal([true]);
  });

  it('rolls back and repeats a transaction after a deadlock', async () => {
    const pool = fakePool({ SELECT: [serverError('40P01')] });
    await changeAndRead(connectTo(pool));
    expect(pool.sent).to.deep.equal([
      'BEGIN',
      'CHANGE',
      'SELECT',
      'ROLLBACK',
      'BEGIN',
      'CHANGE',
      'SELECT',
      'COMMIT',
    ]);
    expect(pool.released).to.deep.equal([false, false]);
  });

  it('drops a connection that could not be rolled back', async () => {
    const mistake = serverError('42601');
    const pool = fakePool({ SELECT: [mistake, mistake], ROLLBACK: [connectionReset()] });
    expect(await rejectionOf(changeAndRead(connectTo(pool)))).to.equal(mistake);
    expect(pool.released).to.deep.equal([true, false]);
  });

  it('does not read from a standby', async () => {
    const pool = fakePool({}, true);
    for (const call of [connectTo(pool).read(SELECT, []), change(connectTo(pool))]) {
      expect((await faultOf(call)).code).to.equal('store_unavailable');
    }
    expect(pool.sent).to.deep.equal([]);
    expect(pool.released).to.deep.equal([true, true]);
  });

  it('distinguishes a busy, full or stopped server from a damaged one and from a bug', async () => {
    const codes: Readonly<Record<string, string>> = {
      '53100': 'store_unavailable',
      '53300': 'store_unavailable',
      '57014': 'store_unavailable',
      '57P03': 'store_unavailable',
      '58030': 'store_unavailable',
      '28P01': 'store_unavailable',
      '3D000': 'store_unavailable',
      '42501': 'store_unavailable',
      XX001: 'store_corrupt',
      XX002: 'store_corrupt',
    };
    for (const [state, code] of Object.entries(codes)) {
      const error = serverError(state);
      const found = await faultOf(change(connectTo(fakePool({ CHANGE: [error] }))));
      expect(found, state).to.include({ code, cause: error });
    }
    for (const mistake of [serverError('42P01'), serverError('23505'), new TypeError('ours')]) {
      const pool = fakePool({ CHANGE: [mistake] });
      expect(await rejectionOf(change(connectTo(pool)))).to.equal(mistake);
      expect(pool.released).to.deep.equal([false]);
    }
  });

  it('marks a refused connection until a new one works, which a check tries', async () => {
    let refusal: Error | undefined;
    const { pool, opened } = poolOfMany(() => refusal);
    const connection = connectTo(pool);
    const clients = await Promise.all([connection.openSnapshot(), connection.openSnapshot()]);
    await clients[0].close();
    await connection.retryRefused();
    expect(opened()).to.equal(2);

    for (const code of ['28P01', '28000', '53300', '57P03', '3D000']) {
      refusal = serverError(code);
      const [, fault] = await Promise.all([
        connection.read(SELECT, []),
        faultOf(connection.read(SELECT, [])),
      ]);
      const found = refusalOf(fault);
      expect([found?.refused, found?.isOver()], code).to.deep.equal(['connections', false]);
      expect(await connection.read(SELECT, [])).to.have.length(1);
      await connection.retryRefused();
      expect(found?.isOver(), 'still refused').to.equal(false);
      refusal = undefined;
      await connection.retryRefused();
      expect(found?.isOver()).to.equal(true);
      await connection.retryRefused();
      const before = opened();
      await connection.read(SELECT, []);
      expect(opened(), 'the clients were given back').to.equal(before);
      pool.endIdle(1);
    }
    await clients[1].close();
  });

  it('does not count a server that is down, or a pool whose connections are busy, as a refusal', async () => {
    const timeout = new Error('timeout exceeded when trying to connect');
    const down = Object.assign(connectionReset(), { code: 'ECONNREFUSED' });
    for (const error of [timeout, down]) {
      const pool: PostgresPool = { ...fakePool({}), connect: () => Promise.reject(error) };
      expect(refusalOf(await faultOf(connectTo(pool).read(SELECT, [])))).to.equal(undefined);
    }
  });

  it('marks a refused change until one is committed', async () => {
    for (const code of ['25006', '53100']) {
      const connection = connectTo(fakePool({ CHANGE: [serverError(code)] }));
      const refusal = refusalOf(await faultOf(change(connection)));
      await connection.read(SELECT, []);
      expect([refusal?.refused, refusal?.isOver()], code).to.deep.equal(['changes', false]);
      connection.recordChange();
      expect(refusal?.isOver()).to.equal(true);
    }
  });

  it('is unavailable while the pool has no connection', async () => {
    const error = new Error('timeout exceeded when trying to connect');
    const pool: PostgresPool = { ...fakePool({}), connect: () => Promise.reject(error) };
    expect(await faultOf(connectTo(pool).read(SELECT, []))).to.include({
      code: 'store_unavailable',
      cause: error,
    });
  });
});
