import { join } from 'node:path';
import type { Persistence } from '@pinfold/core/adapter';
import { percentDecoded } from '@pinfold/core/internal';
import type { Pool } from '../metrics/gauges.ts';

export interface OpenedDatabase {
  persistence(): Promise<Persistence>;
  /** Ends the client, after the persistence is closed. */
  end(): Promise<void>;
  /** The pool of connections; absent for SQLite. */
  readonly pool?: Pool;
}

/** The maximum number of connections of a process to PostgreSQL. The operators' pages name it, too. */
export const MAX_CONNECTIONS = 10;

export const SCHEMA = 'pinfold';

/** The file of SQLite in the data folder. */
export const SQLITE_FILE = 'pinfold.sqlite';

/** The database of the records. */
export interface DatabaseSetting {
  readonly kind: 'sqlite' | 'postgres';
  /** Contains credentials, so it is never printed or logged. */
  readonly url?: string;
}

/** Loads the client of the chosen database only: a client takes as long to load as all the rest of the start. */
export async function openDatabase(
  { kind, url: connectionString }: DatabaseSetting,
  dataDir: string,
): Promise<OpenedDatabase> {
  if (kind === 'sqlite') {
    const { openSqlite } = await import('@pinfold/persistence-sqlite');
    return { persistence: async () => openSqlite({ file: join(dataDir, SQLITE_FILE) }), end: async () => {} };
  }
  const [{ openPostgres, POOL_LIMITS }, { default: pg }] = await Promise.all([
    import('@pinfold/persistence-postgres'),
    import('pg'),
  ]);
  const limits = { max: MAX_CONNECTIONS, fallback_application_name: 'pinfold', ...POOL_LIMITS };
  // Pipelining sends statements without waiting for earlier answers, which saves round trips.
  const pool = new pg.Pool({ connectionString, ...limits, pipeline: true });
  // The pool closes its connections after `end`, when the stores no longer listen. A connection that fails then must not end the process.
  pool.on('error', () => {});
  const persistence = async (): Promise<Persistence> => openPostgres({ pool, schema: SCHEMA });
  return { persistence, end: () => pool.end(), pool };
}

export function parseDatabase(text: string): DatabaseSetting {
  // pg would read a URL after a space as a path.
  const value = text.trim();
  // The URL of a Unix socket has no host, such as `postgres://user@/db?host=/cloudsql/…` of Cloud SQL. pg accepts it, but URL does not.
  const url = URL.parse(value.replace(/^(\w+:\/\/[^/?#]*@)\//, '$1localhost/'));
  if (url === null && /^postgres(?:ql)?:\/\//i.test(value)) {
    throw new TypeError(
      'is not a URL: percent-encode special characters in the user name and password, such as %2F for / and %23 for #',
    );
  }
  if (url?.protocol !== 'postgres:' && url?.protocol !== 'postgresql:') {
    throw new TypeError('must be a URL that begins with postgres://, or absent for SQLite');
  }
  if (![url.username, url.password, url.pathname].every((part) => percentDecoded(part) !== undefined)) {
    throw new TypeError('has a % that does not begin a percent-encoded character: write it as %25');
  }
  return { kind: 'postgres', url: value };
}
