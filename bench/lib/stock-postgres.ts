import pg from 'pg';
import type { PostgresAddress } from 'pinfold-test-servers';
import { endedRows, liveRows, type SampledRole, type Stocked, type StockRow } from './stock.ts';

const BATCH = 10_000;

const ROWS = `jsonb_to_recordset($1::jsonb) AS row
  (id text, account text, archive text, key text, title text, "publishedAt" bigint, "expiresAt" bigint, "deletedAt" bigint)`;

const INSERTS = [
  `INSERT INTO pinfold.roles (id, version, account, archive, idempotency_key, title, original_filename, file_count,
     size, published_at, expires_at, pinned, deleted_at, generation, title_folded)
   SELECT id, 1, account, archive, key, title, 'site.zip', 1, 100, "publishedAt", "expiresAt", false, "deletedAt", 1,
     lower(title) FROM ${ROWS}`,
  `INSERT INTO pinfold.idempotency_keys (account, key, fingerprint, token, begun_at, held_until, role, warnings)
   SELECT account, key, 'f', key, "publishedAt", "publishedAt", id, '[]' FROM ${ROWS}`,
  `INSERT INTO pinfold.manifests (archive, manifest)
   SELECT archive, (SELECT manifest FROM pinfold.manifests LIMIT 1) FROM ${ROWS}`,
];

/** Fills a database in which one role was published; all others get its manifest. */
export async function stockPostgres(address: PostgresAddress, database: string): Promise<Stocked> {
  const client = new pg.Client({ ...address, database });
  await client.connect();
  const flush = async (rows: readonly StockRow[]): Promise<void> => {
    const json = JSON.stringify(rows);
    for (const text of INSERTS) await client.query(text, [json]);
  };
  const add = async (rows: Iterable<StockRow>): Promise<void> => {
    let batch: StockRow[] = [];
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
    addRoles: (count) => add(liveRows(count)),
    addEnded: (count) => add(endedRows(count)),
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
