import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AccountId, RoleId } from '@pinfold/core';
import { rejectionOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import pg from 'pg';
import { postgresPlace } from 'pinfold-test-servers/mocha';
import { openPostgres } from '../src/index.ts';

async function onStage(
  play: (stage: {
    open(): ReturnType<typeof openPostgres>;
    rows(sql: string): Promise<readonly object[]>;
    pool: pg.Pool;
    schema: string;
  }) => Promise<void>,
): Promise<void> {
  const place = await postgresPlace();
  const { schema } = place;
  const pool = place.pool();
  const path = `SET LOCAL search_path = ${pg.escapeIdentifier(schema)}`;
  try {
    const early = await readFile(join(import.meta.dirname, 'early-data.sql'), 'utf8');
    await pool.query(`BEGIN; CREATE SCHEMA ${pg.escapeIdentifier(schema)}; ${path}; ${early} COMMIT`);
    await play({
      pool,
      schema,
      open: () => openPostgres({ pool, schema }),
      rows: async (sql) => {
        const results = (await pool.query(`BEGIN; ${path}; ${sql}; COMMIT`)) as unknown as pg.QueryResult[];
        return results[2]?.rows ?? [];
      },
    });
  } finally {
    await place.dispose();
  }
}

describe('data of the schema before in PostgreSQL', () => {
  it('are all there after migrate, in the columns of this schema', () =>
    onStage(async ({ open, rows }) => {
      const { roles, accounts, names, mode, migrate, check, views, history } = await open();
      await migrate();
      await check();
      await migrate();
      const role = (await roles.load('role-1' as RoleId))?.value;
      expect(role).to.include({ account: 'acme', title: 'Plan', archiveBytes: 141 });
      expect(await mode.load()).to.deep.equal({ kind: 'read_only', message: 'Moving' });
      expect(
        await rows(`
          SELECT id, filename_folded, ended_at, ending_rank, is_expiry_recorded, has_archive, is_purged, cleanup_token,
            cleanup_not_before, cleanup_failures FROM roles ORDER BY id`),
      ).to.deep.equal([
        {
          id: 'role-1',
          filename_folded: 'straße.zip',
          ended_at: '1750600000000',
          ending_rank: '9005448654740991',
          is_expiry_recorded: false,
          has_archive: true,
          is_purged: true,
          cleanup_token: 'token',
          cleanup_not_before: '1750000000005',
          cleanup_failures: '2',
        },
        {
          id: 'role-2',
          filename_folded: 'site.zip',
          ended_at: null,
          ending_rank: '0',
          is_expiry_recorded: false,
          has_archive: true,
          is_purged: false,
          cleanup_token: null,
          cleanup_not_before: null,
          cleanup_failures: '0',
        },
        {
          id: 'role-3',
          filename_folded: 'old.zip',
          ended_at: '1700500000000',
          ending_rank: '9005498654740991',
          is_expiry_recorded: true,
          has_archive: false,
          is_purged: false,
          cleanup_token: null,
          cleanup_not_before: null,
          cleanup_failures: '0',
        },
      ]);
      expect(await rows('SELECT name, blocked FROM accounts ORDER BY name')).to.deep.equal([
        { name: 'acme', blocked: null },
        { name: 'shut', blocked: '{"sites":"hide","message":null}' },
      ]);
      expect(await rows('SELECT role, previous FROM names')).to.deep.equal([
        { role: 'role-1', previous: 'role-3' },
      ]);
      expect(await rows('SELECT counted, tries FROM attempt_windows ORDER BY number')).to.deep.equal([
        { counted: '', tries: '4' },
        { counted: '"10.0.0.1 \\"x\\""', tries: '3' },
      ]);
      for (const table of ['manifests', 'idempotency_keys']) {
        expect(await rows(`SELECT 1 FROM ${table}`), table).to.have.length(2);
      }
      const single = ['api_keys', 'sessions', 'sign_in_links', 'session_refusals', 'pairings', 'views'];
      for (const table of [...single, 'takedowns', 'comparisons', 'feeds']) {
        expect(await rows(`SELECT 1 FROM ${table}`), table).to.have.length(1);
      }
      expect(await rows(`SELECT tablename FROM pg_tables WHERE tablename LIKE 'early%'`)).to.deep.equal([]);
      expect([accounts, names, views, history]).to.not.include(undefined);
    })).timeout(60_000);

  it('go on in the order of their feeds', () =>
    onStage(async ({ open, rows }) => {
      const { history, migrate } = await open();
      await migrate();
      const read = async (account: string | undefined, after: number) => {
        const { items, feed } = await history.feed({
          account: account as undefined,
          pin: undefined,
          after,
          limit: 10,
        });
        return [feed, ...items.map(({ number, event }) => [number, event.id])];
      };
      const feed = '0123456789abcdef0123456789abcdef';
      expect(await read('acme', 2)).to.deep.equal([feed, [3, 'e1'], [4, 'e2'], [5, 'e4']]);
      expect(await read('shut', 6)).to.deep.equal([feed, [7, 'e5']]);
      expect(await read(undefined, 3)).to.deep.equal([
        feed,
        [4, 'e1'],
        [5, 'e2'],
        [6, 'e3'],
        [7, 'e4'],
        [8, 'e5'],
      ]);
      const next = `INSERT INTO events (at, id, type, actor, as_operator, recorded_at)
        VALUES (1, 'e6', 'key.created', '{}', false, 1) RETURNING sequence`;
      expect(await rows(next)).to.deep.equal([{ sequence: '6' }]);
    })).timeout(60_000);

  it('have events that were recorded before there was a feed in the order of their times, in all feeds', () =>
    onStage(async ({ open, rows }) => {
      await rows(`
        UPDATE events SET turn = 0, number = NULL, account_number = NULL;
        INSERT INTO events (at, id, type, account, actor, as_operator, recorded_at, turn)
        VALUES (1740000000000, 'e0', 'key.created', 'acme', '{"kind":"system","id":null}', false, 1740000000000, 0)`);
      const { history, migrate } = await open();
      await migrate();
      const query = { pin: undefined, after: 0, limit: 10 };
      const ids = async (account: AccountId | undefined) =>
        (await history.feed({ ...query, account })).items.map(({ event }) => event.id);
      expect(await ids(undefined)).to.deep.equal(['e0', 'e1', 'e2', 'e3', 'e4', 'e5']);
      expect(await ids('acme' as AccountId)).to.deep.equal(['e0', 'e1', 'e2', 'e4']);
    })).timeout(60_000);

  it('stay as they are where only an empty database may be migrated, and no node of before runs on', () =>
    onStage(async ({ open, rows }) => {
      const { migrate } = await open();
      expect(await rejectionOf(migrate('empty'))).to.include({ code: 'store_unavailable' });
      expect(await rows('SELECT version FROM schema_state')).to.deep.equal([{ version: '16' }]);
      await migrate();
      expect(await rows('SELECT version, oldest_version FROM schema_state')).to.deep.equal([
        { version: '17', oldest_version: '17' },
      ]);
    })).timeout(60_000);
});
