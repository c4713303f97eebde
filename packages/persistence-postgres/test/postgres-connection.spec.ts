import { setImmediate } from 'node:timers/promises';
import type { Clock } from '@pinfold/core';
import { rejectionOf } from '@pinfold/test-contracts/fixtures';
import { faultOf } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { PostgresConnection, type PostgresPool } from '../src/engine/postgres-connection.ts';
import { COMMIT, unprepared } from '../src/engine/statement.ts';
import { CHANGE, change, connectionReset, connectTo, fakePool, SELECT } from './fake-pool.ts';
import { serverError } from './fake-server.ts';

const BEGIN = unprepared('BEGIN');

function recordWaits(): { readonly sleep: Clock['sleep']; readonly waits: number[] } {
  const waits: number[] = [];
  return {
    waits,
    sleep: async (length) => {
      waits.push(length);
    },
  };
}

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

  it('is unavailable while the pool has no connection', async () => {
    const error = new Error('timeout exceeded when trying to connect');
    const pool: PostgresPool = { ...fakePool({}), connect: () => Promise.reject(error) };
    expect(await faultOf(connectTo(pool).read(SELECT, []))).to.include({
      code: 'store_unavailable',
      cause: error,
    });
  });
});
