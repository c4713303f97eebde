import { refusalOf } from '@pinfold/core/internal';
import { faultOf } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import type { PostgresClient, PostgresPool } from '../src/engine/postgres-connection.ts';
import { change, connectionReset, connectTo, fakePool, SELECT } from './fake-pool.ts';
import { serverError } from './fake-server.ts';

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

describe('what PostgreSQL refuses', () => {
  it('is marked on a fault for a connection, until a new one works, which a check tries', async () => {
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

  it('is nothing if a server is down, or all connections of a pool are busy', async () => {
    const timeout = new Error('timeout exceeded when trying to connect');
    const down = Object.assign(connectionReset(), { code: 'ECONNREFUSED' });
    for (const error of [timeout, down]) {
      const pool: PostgresPool = { ...fakePool({}), connect: () => Promise.reject(error) };
      expect(refusalOf(await faultOf(connectTo(pool).read(SELECT, [])))).to.equal(undefined);
    }
  });

  it('is marked on a fault for a change by a read-only server, until a check finds that it is no longer so', async () => {
    const pool = fakePool({ CHANGE: [serverError('25006'), serverError('53100')] });
    const connection = connectTo(pool);
    const refusal = refusalOf(await faultOf(change(connection)));
    pool.isReadOnly = true;
    await connection.retryRefused();
    expect([refusal?.isOver(), pool.released.at(-1)], 'ends the connection').to.deep.equal([false, true]);
    pool.isReadOnly = false;
    await connection.retryRefused();
    expect(refusal?.isOver()).to.equal(true);
    const full = refusalOf(await faultOf(change(connection)));
    await connection.retryRefused();
    expect(full?.isOver(), 'a full disk').to.equal(false);
  });

  it('is marked on a fault for a change, until one is committed', async () => {
    for (const code of ['25006', '53100']) {
      const connection = connectTo(fakePool({ CHANGE: [serverError(code)] }));
      const refusal = refusalOf(await faultOf(change(connection)));
      await connection.read(SELECT, []);
      expect([refusal?.refused, refusal?.isOver()], code).to.deep.equal(['changes', false]);
      connection.recordChange();
      expect(refusal?.isOver()).to.equal(true);
    }
  });
});
