import { randomUUID } from 'node:crypto';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TABLES } from '@pinfold/core/records';
import Database from 'better-sqlite3';
import pg from 'pg';
import type { PostgresAddress } from 'pinfold-test-servers';

/** A database in which Pinfold has published one role, whose manifest is used for all roles that a bench adds directly. */
export type Stock = ReturnType<typeof stockIn>;

/** A role with the archive that its record names. */
export interface SampledRole {
  readonly id: string;
  readonly archive: string;
}

/** A database: both accept the same statements, with `$1`. */
interface Engine {
  query(statement: string, value?: unknown): Promise<readonly unknown[]>;
  /** Makes it as fast as after some days. */
  settle(): Promise<void>;
  close(): Promise<void>;
  /** SQL that creates rows, each with a JSON `value`, from the JSON array $1. */
  readonly rows: string;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const BATCH = 10_000;
const SAMPLED = 'SELECT id, archive FROM roles WHERE';

const text = (name: string) => `value->>'${name}'`;
const number = (name: string) => `CAST(value->>'${name}' AS bigint)`;

const ROLES = TABLES.filter(({ name }) => name === 'roles').flatMap(({ columns }) =>
  Object.keys(columns).map(snakeCase),
);

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The members in which roles differ from the published one. */
const OWN: Readonly<Record<string, string>> = {
  id: text('id'),
  account: text('account'),
  archive: text('archive'),
  idempotency_key: text('key'),
  title: text('title'),
  original_filename: "'site.zip'",
  file_count: '1',
  size: '100',
  archive_bytes: '300',
  sha256: "''",
  published_at: number('publishedAt'),
  expires_at: number('expiresAt'),
  pinned: 'false',
  deleted_at: number('deletedAt'),
  password_hash: 'NULL',
  generation: '1',
  version: '1',
  title_folded: `lower(${text('title')})`,
  filename_folded: "'site.zip'",
  ended_at: `coalesce(${number('deletedAt')}, ${number('expiresAt')})`,
  ending_rank: `9007199254740991 - ${number('expiresAt')}`,
  has_archive: 'true',
  is_expiry_recorded: 'false',
  is_purged: 'false',
  cleanup_token: 'NULL',
  cleanup_not_before: 'NULL',
  cleanup_failures: '0',
};

const ROLE_VALUES = ROLES.map((name) => OWN[name] ?? `(SELECT ${name} FROM roles LIMIT 1)`);
const ROLE = [
  `INSERT INTO roles (${ROLES.join(', ')}) SELECT ${ROLE_VALUES.join(', ')}`,
  `INSERT INTO idempotency_keys (account, key, fingerprint, token, begun_at, held_until, role, warnings)
     SELECT ${text('account')}, ${text('key')}, 'f', ${text('key')}, ${number('publishedAt')},
       ${number('publishedAt')}, ${text('id')}, '[]'`,
  `INSERT INTO manifests (archive, manifest)
     SELECT ${text('archive')}, (SELECT manifest FROM manifests LIMIT 1)`,
];

const EVENT = `
  INSERT INTO events (at, id, type, account, pin, actor, as_operator, recorded_at)
  SELECT ${number('at')}, ${text('id')}, 'pin.title_changed', ${text('account')}, ${text('pin')}, ${text('actor')},
    false, ${number('at')}`;

/** Fills a SQLite file. */
export function stockSqlite(file: string): Stock {
  const database = new Database(file, { timeout: 10_000 });
  return stockIn({
    rows: 'json_each($1)',
    query: async (statement, value) => {
      const prepared = database.prepare(statement);
      const values = value === undefined ? [] : [{ 1: value }];
      return prepared.reader ? prepared.all(...values) : [prepared.run(...values)];
    },
    settle: async () => void database.pragma('wal_checkpoint(TRUNCATE)'),
    close: async () => void database.close(),
  });
}

/** Fills a PostgreSQL database. */
export async function stockPostgres(address: PostgresAddress): Promise<Stock> {
  const client = new pg.Client({ ...address, options: '-c search_path=pinfold' });
  await client.connect();
  return stockIn({
    rows: 'jsonb_array_elements($1::jsonb) AS value',
    query: async (statement, value) =>
      (await client.query(statement, value === undefined ? [] : [value])).rows,
    settle: async () => {
      await client.query('VACUUM ANALYZE');
      await client.query('CHECKPOINT');
    },
    close: () => client.end(),
  });
}

function stockIn({ query, settle, close, rows }: Engine) {
  const add = async (statements: readonly string[], count: number, row: (n: number) => object) => {
    for (let from = 0; from < count; from += BATCH) {
      const length = Math.min(BATCH, count - from);
      const json = JSON.stringify(Array.from({ length }, (_, n) => row(from + n)));
      await query('BEGIN');
      for (const statement of statements) await query(`${statement} FROM ${rows}`, json);
      await query('COMMIT');
    }
    await settle();
  };
  const sampled = (statement: string, value?: unknown) =>
    query(`${SAMPLED} ${statement}`, value) as Promise<readonly SampledRole[]>;
  const now = Date.now();
  return {
    /** Adds roles of which every other one belongs to the account `default`, and the others to a hundred accounts. */
    addRoles: (count: number) =>
      add(ROLE, count, (n) => roleOf(accountOf(n), `Site ${n}`, now - n * 100, null)),
    /** Adds roles of the account `default` that were deleted two hours ago. */
    addEnded: (count: number) =>
      add(ROLE, count, (n) => roleOf('default', `Ended ${n}`, Date.now() - DAY + n, Date.now() - 2 * HOUR)),
    /** Adds ten events for each of a number of publications, of which every other one belongs to the account `default`. */
    addEvents: (count: number) => add([EVENT], count, (n) => eventOf(n, now)),
    /** Some published roles of the account `default`, at random. */
    sample: (count: number) =>
      sampled(`account = 'default' AND deleted_at IS NULL ORDER BY random() LIMIT $1`, count),
    /** The ended roles whose archive will be removed. */
    ended: () => sampled('has_archive AND deleted_at IS NOT NULL'),
    close,
  };
}

function accountOf(n: number): string {
  return n % 2 === 0 ? 'default' : `account-${n % 100}`;
}

/** A role that lives for years from its publication, or was deleted. */
function roleOf(account: string, title: string, publishedAt: number, deletedAt: number | null): object {
  const archive = `${publishedAt}-${randomUUID()}`;
  const expiresAt = publishedAt + 1_000 * DAY;
  return { id: randomUUID(), account, archive, key: randomUUID(), title, publishedAt, expiresAt, deletedAt };
}

/** One of the events of the last weeks, about one per second. */
function eventOf(n: number, now: number): object {
  const of = Math.floor(n / 10);
  const actor = JSON.stringify({ kind: 'key', id: '4fJ2kQ9xTzA' });
  return { at: now - n * 1_000, id: randomUUID(), account: accountOf(of), pin: pinOfEvents(of), actor };
}

/** The publication of ten events. */
export function pinOfEvents(n: number): string {
  return `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
}

/** Gives each role an archive in a folder of archives: a copy of an existing one. */
export async function copyArchive(
  folder: string,
  original: string,
  roles: readonly SampledRole[],
): Promise<void> {
  for (const { archive } of roles) {
    const file = archiveFile(folder, archive);
    await mkdir(dirname(file), { recursive: true });
    await copyFile(archiveFile(folder, original), file);
  }
}

/** The path of an archive in `@pinfold/storage-fs`. */
function archiveFile(folder: string, archive: string): string {
  return join(folder, archive.slice(0, 4), archive.slice(4, 7), archive);
}
