import Database from 'better-sqlite3';
import { endedRows, eventRows, liveRows, type SampledRole, type Stocked, type StockRow } from './stock.ts';

const INSERT_ROLE = `
  INSERT INTO roles (id, version, account, archive, idempotency_key, title, original_filename, file_count, size,
    published_at, expires_at, pinned, deleted_at, generation, title_folded,
    archive_bytes, sha256)
  VALUES (@id, 1, @account, @archive, @key, @title, 'site.zip', 1, 100, @publishedAt, @expiresAt, 0, @deletedAt, 1,
    lower(@title), 300, '')`;

const INSERT_KEY = `
  INSERT INTO idempotency_keys (account, key, fingerprint, token, begun_at, held_until, role, warnings)
  VALUES (@account, @key, 'f', @key, @publishedAt, @publishedAt, @id, '[]')`;

const INSERT_MANIFEST = 'INSERT INTO manifests (archive, manifest) VALUES (@archive, @manifest)';

const INSERT_EVENT = `
  INSERT INTO events (at, id, type, account, pin, actor, as_operator, recorded_at)
  VALUES (@at, @id, 'pin.title_changed', @account, @pin, @actor, 0, @at)`;

/** Fills a SQLite file; all roles have the manifest that is given. */
export function stockSqlite(file: string, manifest: string): Stocked {
  const database = new Database(file, { timeout: 10_000 });
  const add = (rows: Iterable<StockRow>): void => {
    const statements = [INSERT_ROLE, INSERT_KEY, INSERT_MANIFEST].map((text) => database.prepare(text));
    database.transaction(() => {
      for (const row of rows) for (const statement of statements) statement.run({ ...row, manifest });
    })();
    database.pragma('wal_checkpoint(TRUNCATE)');
  };
  const select = (text: string, ...values: unknown[]): readonly SampledRole[] =>
    database.prepare(text).all(...values) as SampledRole[];
  return {
    addRoles: async (count) => add(liveRows(count)),
    addEnded: async (count) => add(endedRows(count)),
    addEvents: async (count) => {
      const statement = database.prepare(INSERT_EVENT);
      database.transaction(() => {
        for (const event of eventRows(count)) statement.run(event);
      })();
      database.pragma('wal_checkpoint(TRUNCATE)');
    },
    sample: async (count) =>
      select(
        `SELECT id, archive FROM roles WHERE account = 'default' AND deleted_at IS NULL ORDER BY random() LIMIT ?`,
        count,
      ),
    ended: async () =>
      select('SELECT id, archive FROM roles WHERE archive_kept = 1 AND deleted_at IS NOT NULL'),
    close: async () => {
      database.close();
    },
  };
}

/** The archive and manifest of the only role of a file. */
export function onlyManifest(file: string): { readonly archive: string; readonly manifest: string } {
  const database = new Database(file, { readonly: true });
  const row = database.prepare('SELECT archive, manifest FROM manifests').get();
  database.close();
  return row as { readonly archive: string; readonly manifest: string };
}
