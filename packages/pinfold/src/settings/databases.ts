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

interface Database {
  /** How its URLs begin; one that has none is used where no URL is set. */
  readonly protocols: readonly string[];
  /** The option that is wrong when the database cannot be used. */
  readonly option: 'dataDir' | 'database';
  /** Whether several machines may use it: they must then know each other's grants. */
  readonly isShared: boolean;
  /** Its file in the data folder; absent if it has none. */
  readonly file?: string;
  /**
   * Loads it: the client of a database costs as much time as all the rest of the start. `url` is empty if none is set.
   */
  open(dataDir: string, url: string): Promise<OpenedDatabase>;
}

/** Connections to PostgreSQL at the most; the operators' pages count with it. */
export const CONNECTIONS = 10;

export const SCHEMA = 'pinfold';

const SQLITE_FILE = 'pinfold.sqlite';

type DatabaseKind = 'sqlite' | 'postgres';

/** Every database there is: to add one, add it here. */
const DATABASES: Readonly<Record<DatabaseKind, Database>> = {
  sqlite: {
    protocols: [],
    option: 'dataDir',
    isShared: false,
    file: SQLITE_FILE,
    open: async (dataDir) => {
      const { openSqlite } = await import('@pinfold/persistence-sqlite');
      return {
        persistence: async () => openSqlite({ file: join(dataDir, SQLITE_FILE) }),
        end: async () => {},
      };
    },
  },
  postgres: {
    protocols: ['postgres:', 'postgresql:'],
    option: 'database',
    isShared: true,
    open: async (_dataDir, connectionString) => {
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
    },
  },
};

/** The database of the records. */
export interface DatabaseSetting {
  readonly kind: DatabaseKind;
  /** It holds credentials: it is never printed or logged. */
  readonly url?: string;
}

export function databaseOf({ kind }: DatabaseSetting): Database {
  return DATABASES[kind];
}

export function parseDatabase(value: string): DatabaseSetting {
  // Sockets have no host: `postgres://user@/db?host=/cloudsql/…` is the form of Cloud SQL, and pg reads it.
  const url = URL.parse(value.replace(/^(\w+:\/\/[^/?#]*@)\//, '$1localhost/')) ?? undefined;
  const kinds = Object.keys(DATABASES) as DatabaseKind[];
  const kind = kinds.find((name) => databaseOf({ kind: name }).protocols.includes(url?.protocol ?? ''));
  if (url === undefined || kind === undefined) {
    const beginnings = kinds.flatMap((name) => databaseOf({ kind: name }).protocols.slice(0, 1));
    throw new TypeError(
      `must be a URL that begins with ${beginnings.join('// or ')}//, or absent for SQLite`,
    );
  }
  if (![url.username, url.password, url.pathname].every(isPercentEncoded)) {
    throw new TypeError('holds a % that begins no percent-encoded character: write %25 for it');
  }
  return { kind, url: value };
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
