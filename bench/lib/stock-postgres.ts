import pg from 'pg';
import type { PostgresAddress } from 'pinfold-test-servers';
import { endedRows, eventRows, liveRows, type SampledRole, type Stocked } from './stock.ts';

const BATCH = 10_000;

const ROWS = `jsonb_to_recordset($1::jsonb) AS row
  (id text, account text, archive text, key text, title text, "publishedAt" bigint, "expiresAt" bigint, "deletedAt" bigint)`;

const INSERTS = [
  `INSERT INTO pinfold.roles (id, version, account, archive, idempotency_key, title, original_filename, file_count,
     size, published_at, expires_at, pinned, deleted_at, generation, title_folded,
     archive_bytes, sha256)
   SELECT id, 1, account, archive, key, title, 'site.zip', 1, 100, "publishedAt", "expiresAt", false, "deletedAt", 1,
     lower(title), 300, '' FROM ${ROWS}`,
  `INSERT INTO pinfold.idempotency_keys (account, key, fingerprint, token, begun_at, held_until, role, warnings)
   SELECT account, key, 'f', key, "publishedAt", "publishedAt", id, '[]' FROM ${ROWS}`,
  `INSERT INTO pinfold.manifests (archive, manifest)
   SELECT archive, (SELECT manifest FROM pinfold.manifests LIMIT 1) FROM ${ROWS}`,
];

const INSERT_EVENTS = `
  INSERT INTO pinfold.events (at, id, type, account, pin, actor, as_operator, recorded_at)
  SELECT at, id, 'pin.title_changed', account, pin, actor, false, at
  FROM jsonb_to_recordset($1::jsonb) AS row (at bigint, id text, account text, pin text, actor text)`;

/** Fills a database in which one role was published; all others get its manifest. */
export async function stockPostgres(address: PostgresAddress, database: string): Promise<Stocked> {
  const client = new pg.Client({ ...address, database });
  await client.connect();
  const insert = async (texts: readonly string[], rows: Iterable<object>): Promise<void> => {
    const flush = async (batch: readonly object[]): Promise<void> => {
      const json = JSON.stringify(batch);
      for (const text of texts) await client.query(text, [json]);
    };
    let batch: object[] = [];
    for (const row of rows) {
      batch.push(row);
      if (batch.length < BATCH) continue;
      await flush(batch);
      batch = [];
    }
    await flush(batch);
    await client.query('VACUUM ANALYZE');
    await client.query('CHECKPOINT');
  };
  const select = async (text: string, ...values: unknown[]): Promise<readonly SampledRole[]> =>
    (await client.query<SampledRole>(text, values)).rows;
  return {
    addRoles: (count) => insert(INSERTS, liveRows(count)),
    addEnded: (count) => insert(INSERTS, endedRows(count)),
    addEvents: (count) => insert([INSERT_EVENTS], eventRows(count)),
    sample: (count) =>
      select(
        `SELECT id, archive FROM pinfold.roles WHERE account = 'default' AND deleted_at IS NULL
         ORDER BY random() LIMIT $1`,
        count,
      ),
    ended: () =>
      select('SELECT id, archive FROM pinfold.roles WHERE archive_kept AND deleted_at IS NOT NULL'),
    close: () => client.end(),
  };
}
