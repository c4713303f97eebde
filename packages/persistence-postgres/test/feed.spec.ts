import type { FeedPart, HistoryEvent } from '@pinfold/core';
import type { Persistence } from '@pinfold/core/adapter';
import { anEvent, aSession } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import pg from 'pg';
import { type PostgresPlace, postgresPlace } from 'pinfold-test-servers/mocha';
import { lockNumber } from '../src/engine/statement.ts';
import { openPostgres } from '../src/index.ts';

describe('The feed on PostgreSQL', () => {
  let place: PostgresPlace;
  let stores: Persistence;
  let events: string;

  beforeEach(async () => {
    place = await postgresPlace();
    stores = await openPostgres({ pool: place.pool(), schema: place.schema });
    await stores.migrate();
    events = `${pg.escapeIdentifier(place.schema)}.events`;
  });

  afterEach(() => place.dispose());

  const read = (after = 0): Promise<FeedPart> =>
    stores.history.feed({ account: undefined, pin: undefined, after, limit: 100 });
  const ids = ({ items }: FeedPart): readonly string[] => items.map(({ event }) => event.id);
  const store = (n: number, event: HistoryEvent): Promise<unknown> =>
    stores.sessions.begin(aSession(n), [event]);

  /** Inserts an event in a transaction of another connection. */
  async function insert(client: pg.PoolClient, { id, at }: HistoryEvent): Promise<void> {
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO ${events} (at, id, type, actor, as_operator, recorded_at)
      VALUES ($1, $2, 'key.created', '{"kind":"system","id":null}', false, $1)`,
      [at, id],
    );
  }

  it('answers committed events while a writing and a prepared transaction are open, and their events later', async () => {
    const writing = await place.pool().connect();
    const preparing = await place.pool().connect();
    const [a, b, c, d, e, f] = [anEvent(), anEvent(), anEvent(), anEvent(), anEvent(), anEvent()];
    try {
      await store(1, a);
      await insert(writing, b);
      await insert(preparing, c);
      await preparing.query(`PREPARE TRANSACTION '${a.id}'`);
      await store(2, d);
      expect(ids(await read())).to.deep.equal([a.id, d.id]);
      await store(3, e);
      expect(ids(await read(2))).to.deep.equal([e.id]);
      await writing.query('COMMIT');
      expect(ids(await read(3)), 'what was written').to.deep.equal([b.id]);
      await preparing.query(`COMMIT PREPARED '${a.id}'`);
      await store(4, f);
      expect(ids(await read(4)), 'what was prepared').to.deep.equal([c.id, f.id]);
      expect(ids(await read())).to.deep.equal([a, d, e, b, c, f].map(({ id }) => id));
    } finally {
      await preparing.query(`ROLLBACK PREPARED '${a.id}'`).catch(() => undefined);
      writing.release(true);
      preparing.release(true);
    }
  });

  it('numbers more than a thousand events in the order in which they were inserted', async () => {
    await place.pool().query(`
      INSERT INTO ${events} (at, id, type, actor, as_operator, recorded_at)
      SELECT 5000 - n, 'event-' || n, 'key.created', '{}', false, 1
      FROM pg_catalog.generate_series(1, 2500) AS n`);
    const { items, last } = await read(2_400);
    expect(last.number).to.equal(2_500);
    expect(items.map(({ event }) => event.id)).to.deep.equal(
      Array.from({ length: 100 }, (_, n) => `event-${2_401 + n}`),
    );
    const { rows } = await place
      .pool()
      .query(`SELECT min(feed_number), max(feed_number), count(DISTINCT feed_number) FROM ${events}`);
    expect(rows).to.deep.equal([{ min: '1', max: '2500', count: '2500' }]);
  });

  it('numbers events while the service is read-only', async () => {
    const changed = anEvent({ account: null, type: 'service.mode_changed' });
    await stores.mode.change({ kind: 'read_only', message: null }, [changed]);
    const during = anEvent();
    await store(1, during);
    expect(ids(await read())).to.deep.equal([changed.id, during.id]);
  });

  it('waits for a node that is numbering, and sees its numbers', async () => {
    await store(1, anEvent());
    const numbering = await place.pool().connect();
    try {
      await numbering.query(`BEGIN; SELECT pg_advisory_xact_lock(${lockNumber(place.schema, 'feed')})`);
      const reading = [read(), read(), read()];
      await numbering.query(`UPDATE ${events} SET feed_number = 1`);
      await store(2, anEvent());
      await numbering.query('COMMIT');
      for (const part of await Promise.all(reading)) {
        expect(part.items.map(({ number }) => number).slice(0, 2)).to.deep.equal(
          [1, 2].slice(0, part.items.length),
        );
      }
      expect((await read()).items.map(({ number }) => number)).to.deep.equal([1, 2]);
    } finally {
      numbering.release(true);
    }
  });
});
