import { join } from 'node:path';
import type { Persistence } from '@pinfold/core/adapter';
import type { Pool } from '../metrics/gauges.ts';

export interface OpenedDatabase {
  persistence(): Promise<Persistence>;
  /** Ends the client, after the persistence is closed. */
  end(): Promise<void>;
  /** The connections that it shares, where it has any. */
  readonly pool?: Pool;
}

/** Connections to PostgreSQL at the most; the operators' pages count with it. */
export const CONNECTIONS = 10;

export const SCHEMA = 'pinfold';

/** The file of SQLite in the data folder. */
export const SQLITE_FILE = 'pinfold.sqlite';

/** The database of the records. */
export interface DatabaseSetting {
  readonly kind: 'sqlite' | 'postgres';
  /** It holds credentials: it is never printed or logged. */
  readonly url?: string;
}

/** Loads a database: its client costs as much time as all the rest of the start. */
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
  const limits = { max: CONNECTIONS, fallback_application_name: 'pinfold', ...POOL_LIMITS };
  // It sends statements without waiting for the answers to those before, which saves round trips.
  const pipelining = { pipeline: true };
  const pool = new pg.Pool({ connectionString, ...limits, ...pipelining });
  // It has ended before its connections have, and the stores listen no longer then: a server that stops meanwhile still says so.
  pool.on('error', () => {});
  const persistence = async (): Promise<Persistence> => openPostgres({ pool, schema: SCHEMA });
  return { persistence, end: () => pool.end(), pool };
}

export function parseDatabase(text: string): DatabaseSetting {
  // pg reads a URL with a space before it as a path.
  const value = text.trim();
  // Sockets have no host: `postgres://user@/db?host=/cloudsql/…` is the form of Cloud SQL, and pg reads it.
  const url = URL.parse(value.replace(/^(\w+:\/\/[^/?#]*@)\//, '$1localhost/'));
  if (url === null && /^postgres(?:ql)?:\/\//i.test(value)) {
    throw new TypeError(
      'is no URL: percent-encode what is special in the user name and password, such as %2F for / and %23 for #',
    );
  }
  if (url?.protocol !== 'postgres:' && url?.protocol !== 'postgresql:') {
    throw new TypeError('must be a URL that begins with postgres://, or absent for SQLite');
  }
  if (![url.username, url.password, url.pathname].every(isPercentEncoded)) {
    throw new TypeError('holds a % that begins no percent-encoded character: write %25 for it');
  }
  return { kind: 'postgres', url: value };
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch (error) {
    if (error instanceof URIError) return false;
    throw error;
  }
}
