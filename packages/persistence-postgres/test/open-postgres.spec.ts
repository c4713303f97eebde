import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Persistence } from '@pinfold/core/adapter';
import {
  anApiKey,
  anApiKeyId,
  anEvent,
  aPublication,
  aRoleId,
  everyKeyOf,
  publishTo,
  rejectionOf,
} from '@pinfold/test-contracts/fixtures';
import { faultOf } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import pg from 'pg';
import { type PostgresPlace, postgresPlace } from 'pinfold-test-servers/mocha';
import { openPostgres, POOL_LIMITS } from '../src/index.ts';

async function withDatabase(
  work: (handle: Persistence, place: PostgresPlace) => Promise<void>,
): Promise<void> {
  const place = await postgresPlace();
  const handle = await openPostgres({ pool: place.pool(POOL_LIMITS), schema: place.schema });
  try {
    await handle.migrate();
    await work(handle, place);
  } finally {
    await handle.close();
    await place.dispose();
  }
}

describe('openPostgres', () => {
  it('accepts only names that the server neither truncates nor reserves', async () => {
    const pool = new pg.Pool();
    for (const schema of ['', 'pg_mine', 'a\0b', 'ä'.repeat(32)]) {
      expect(await rejectionOf(openPostgres({ pool, schema })), schema).to.be.instanceOf(TypeError);
    }
    await (await openPostgres({ pool, schema: 'Ünï "quoted"; DROP SCHEMA public; --' })).close();
    await pool.end();
  });

  it("returns the time of the server's clock in a check, to the millisecond", () =>
    withDatabase(async (handle, place) => {
      const now = async (): Promise<number> => {
        const [row] = (await place.pool().query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now'))
          .rows;
        return Number(row.now);
      };
      const [before, clock, after] = [await now(), await handle.check(), await now()];
      expect(clock).to.be.within(Math.floor(before), after).and.satisfy(Number.isSafeInteger);
    }));

  it('does not depend on the search path', () =>
    withDatabase(async (_, place) => {
      const decoy = `${place.schema.slice(0, 40)} decoy"`;
      const pool = place.pool({ options: '-c search_path=decoy,public' });
      await pool.query(`CREATE SCHEMA decoy CREATE TABLE roles (id text) CREATE TABLE api_keys (id text)`);
      try {
        for (const schema of [place.schema, decoy]) {
          const handle = await openPostgres({ pool, schema });
          await handle.migrate();
          await publishTo(handle.roles, aPublication(1));
          await handle.apiKeys.create(anApiKey(1), [anEvent()]);
          expect(await handle.apiKeys.find(anApiKeyId(1))).to.deep.equal(anApiKey(1));
          await handle.close();
        }
      } finally {
        await pool.query('DROP SCHEMA decoy CASCADE');
        await pool.query(`DROP SCHEMA ${pg.escapeIdentifier(decoy)} CASCADE`);
      }
    }));

  it('keeps two schemas apart on one connection', () =>
    withDatabase(async (_, place) => {
      const pool = place.pool({ max: 1 });
      const other = await postgresPlace();
      const one = await openPostgres({ pool, schema: place.schema });
      const two = await openPostgres({ pool, schema: other.schema });
      await two.migrate();
      await one.apiKeys.create(anApiKey(1), [anEvent()]);
      expect(await two.apiKeys.find(anApiKeyId(1))).to.equal(undefined);
      expect(await one.apiKeys.find(anApiKeyId(1))).to.deep.equal(anApiKey(1));
      await other.dispose();
    }));

  it('reads numbers with any type parsers of the pool', () =>
    withDatabase(async (handle, place) => {
      const { role } = aPublication(1);
      await publishTo(handle.roles, aPublication(1));
      const types = { getTypeParser: () => () => 'something else' } as unknown as pg.CustomTypesConfig;
      const odd = await openPostgres({ pool: place.pool({ types }), schema: place.schema });
      expect((await odd.roles.load(aRoleId(1)))?.value).to.deep.equal(role);
    }));

  it('never ends the pool, and rejects calls once it is closed', () =>
    withDatabase(async (handle, place) => {
      const pool = place.pool();
      const other = await openPostgres({ pool, schema: place.schema });
      await other.check();
      await other.close();
      await other.close();
      expect((await faultOf(other.check())).code).to.equal('store_unavailable');
      expect((await faultOf(other.apiKeys.create(anApiKey(1), [anEvent()]))).code).to.equal(
        'store_unavailable',
      );
      expect((await pool.query('SELECT 1 AS one')).rows).to.deep.equal([{ one: 1 }]);
      expect(await handle.apiKeys.list(everyKeyOf())).to.deep.equal([]);
    }));

  it('listens to a connection of the pool once, for any number of handles', () =>
    withDatabase(async (_, place) => {
      const pool = place.pool({ max: 1 });
      const counts: number[] = [];
      for (let n = 0; n < 2; n += 1) {
        const handle = await openPostgres({ pool, schema: place.schema });
        await handle.check();
        await handle.close();
        const client = await pool.connect();
        counts.push(client.listenerCount('error'));
        client.release();
      }
      expect(counts[1]).to.equal(counts[0]);
    }));

  it('is unavailable without a server, or if the server denies access', () =>
    withDatabase(async (_, place) => {
      const wrong = [{ port: 1 }, { password: 'guessed' }, { database: 'absent' }, { host: '/nowhere' }];
      for (const config of wrong) {
        const handle = await openPostgres({ pool: place.pool(config), schema: place.schema });
        expect((await faultOf(handle.check())).code, JSON.stringify(config)).to.equal('store_unavailable');
        expect((await faultOf(handle.migrate())).code, JSON.stringify(config)).to.equal('store_unavailable');
        await handle.close();
      }
    }));

  it('is unavailable if a server accepts connections and never answers', () =>
    withDatabase(async (_, place) => {
      const mute = createServer().listen(0, '127.0.0.1');
      await once(mute, 'listening');
      const { port } = mute.address() as AddressInfo;
      const pool = place.pool({ ...POOL_LIMITS, port, connectionTimeoutMillis: 50 });
      const handle = await openPostgres({ pool, schema: place.schema });
      expect((await faultOf(Promise.resolve(handle.roles.load(aRoleId(1))))).code).to.equal(
        'store_unavailable',
      );
      mute.close();
    }));

  it('waits no longer than the pool’s timeouts, and keeps only a connection that was answered', () =>
    withDatabase(async (_, place) => {
      const connectionsLeft = { statement_timeout: 1, lock_timeout: 1, query_timeout: 0 };
      const holder = await place.pool().connect();
      await holder.query('BEGIN');
      await holder.query(`LOCK TABLE ${pg.escapeIdentifier(place.schema)}.api_keys IN ACCESS EXCLUSIVE MODE`);
      for (const [limit, connections] of Object.entries(connectionsLeft)) {
        const pool = place.pool({ max: 1, [limit]: 100 });
        const hurried = await openPostgres({ pool, schema: place.schema });
        expect((await faultOf(hurried.apiKeys.list(everyKeyOf()))).code, limit).to.equal('store_unavailable');
        expect(pool.totalCount, limit).to.equal(connections);
      }
      await holder.query('ROLLBACK');
      holder.release();
    }));

  it('rejects an abort at once, and leaves the connection usable', () =>
    withDatabase(async (_, place) => {
      const holder = await place.pool().connect();
      await holder.query('BEGIN');
      await holder.query(`LOCK TABLE ${pg.escapeIdentifier(place.schema)}.roles IN ACCESS EXCLUSIVE MODE`);
      const handle = await openPostgres({ pool: place.pool({ max: 1 }), schema: place.schema });
      const caller = new AbortController();
      const reason = new Error('gone');
      const waiting = rejectionOf(Promise.resolve(handle.roles.load(aRoleId(1), caller.signal)));
      caller.abort(reason);
      expect(await waiting).to.equal(reason);
      expect(await rejectionOf(handle.check(AbortSignal.abort(reason)))).to.equal(reason);
      await holder.query('ROLLBACK');
      holder.release();
      expect(await handle.roles.load(aRoleId(1))).to.equal(undefined);
    }));

  it('is unavailable to changes on a read-only server, and drops its connection', () =>
    withDatabase(async (_, place) => {
      const pool = place.pool({ max: 1, options: '-c default_transaction_read_only=on' });
      const handle = await openPostgres({ pool, schema: place.schema });
      expect(await handle.apiKeys.list(everyKeyOf())).to.deep.equal([]);
      expect(pool.totalCount).to.equal(1);
      expect((await faultOf(handle.apiKeys.create(anApiKey(1), [anEvent()]))).code).to.equal(
        'store_unavailable',
      );
      expect(pool.totalCount).to.equal(0);
    }));
});
