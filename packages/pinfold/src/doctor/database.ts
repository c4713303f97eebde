import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@pinfold/core';
import { SCHEMA, SQLITE_FILE } from '../compose/stores.ts';
import type { Settings } from '../settings/settings.ts';
import { errorText } from '../settings/settings-error.ts';
import { type Check, type Finding, failed, ok, type Result, runChecks, skipped, warning } from './finding.ts';

/** In milliseconds; beyond it, sites end noticeably early or late. */
const MAX_DIFFERENCE = 5_000;
/** The newest release of PostgreSQL that is no longer maintained. */
const OLD_RELEASE = 14;

/** Checks the database with any version of its schema, and changes nothing. */
export async function* checkDatabase(
  settings: Settings,
  folder: string,
  clock: Clock,
): AsyncGenerator<Finding> {
  yield* runChecks(
    settings.database.kind === 'sqlite'
      ? sqliteChecks(join(folder, SQLITE_FILE))
      : postgresChecks(await connect(settings, clock)),
  );
}

const SCHEMA_CHECK = { name: 'schema', expected: 'this release works with the schema' } as const;
const CLOCK_CHECK = { name: 'clock', expected: "this machine's clock and the database's agree" } as const;

interface SchemaVersion {
  readonly version?: number;
  readonly newest: number;
  readonly outdated?: string;
}

function sqliteChecks(file: string): readonly Check[] {
  let schema: SchemaVersion | undefined;
  return [
    {
      name: 'database',
      expected: `${file} is a SQLite database without damage`,
      run: async () => {
        if (!existsSync(file)) return skipped('the database does not exist yet: the first start creates it');
        const { examineSqlite } = await import('@pinfold/persistence-sqlite/internal');
        const { release, damage, ...version } = examineSqlite(file);
        schema = version;
        return damage === undefined
          ? ok(`SQLite ${release} finds no damage`)
          : failed(
              `SQLite finds damage: ${damage}`,
              'stop the server, and restore the database from a backup',
            );
      },
      advice: 'check that the file is a database of Pinfold and can be read',
    },
    { ...SCHEMA_CHECK, run: () => schema && judgeSchema(schema) },
    { ...CLOCK_CHECK, run: () => skipped('SQLite has no clock of its own') },
  ];
}

type Examined = Awaited<ReturnType<typeof import('@pinfold/persistence-postgres/internal').examinePostgres>>;

/** The server's answer and the milliseconds by which this machine's clock is ahead, or the reason of a failure. */
type Connected = { readonly examined: Examined; readonly ahead: number } | { readonly failure: string };

function postgresChecks(connected: Connected): readonly Check[] {
  const database = {
    name: 'database',
    expected: 'PINFOLD_DATABASE_URL names a maintained PostgreSQL server that takes changes',
  };
  if ('failure' in connected) {
    const advice = /unsupported startup parameter/.test(connected.failure) ? STARTUP_PARAMETERS : UNREACHABLE;
    return [{ ...database, run: () => failed(connected.failure, advice) }];
  }
  const { examined, ahead } = connected;
  return [
    { ...database, run: () => judgeServer(examined) },
    {
      name: 'database.rights',
      expected: `the user has all rights in the schema ${SCHEMA}`,
      run: () => judgeRights(examined),
    },
    {
      name: 'database.pooler',
      expected: 'a prepared statement stays with its connection',
      run: () =>
        examined.keepsPreparedStatements
          ? ok('prepared statements stay')
          : failed('prepared statements are lost', POOLER_SETTINGS),
    },
    {
      ...SCHEMA_CHECK,
      run: () => examined.schema && judgeSchema({ ...examined.schema, newest: examined.newest }),
    },
    { ...CLOCK_CHECK, run: () => judgeClock(ahead) },
  ];
}

function judgeClock(ahead: number): Result {
  const observed = `this machine's clock is ${Math.abs(ahead) / 1_000} s ${ahead < 0 ? 'behind' : 'ahead'}`;
  return Math.abs(ahead) > MAX_DIFFERENCE
    ? failed(observed, 'let chrony or systemd-timesyncd set both clocks: now sites end too early or too late')
    : ok(observed);
}

const POOLER_SETTINGS =
  'in PgBouncer (1.21 or newer) set max_prepared_statements above 0, or pool_mode = session; or name the server itself';

const STARTUP_PARAMETERS =
  'in PgBouncer set ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout';

const UNREACHABLE =
  'check that the server runs, that PINFOLD_DATABASE_URL has its address, user, password and database, and that pg_hba.conf admits this machine';

async function connect({ database }: Settings, clock: Clock): Promise<Connected> {
  const [{ POOL_LIMITS }, { examinePostgres }, { default: pg }] = await Promise.all([
    import('@pinfold/persistence-postgres'),
    import('@pinfold/persistence-postgres/internal'),
    import('pg'),
  ]);
  const pool = new pg.Pool({ connectionString: database.url, max: 2, ...POOL_LIMITS });
  pool.on('error', () => undefined);
  try {
    const before = clock.now();
    const examined = await examinePostgres(pool, SCHEMA);
    return { examined, ahead: Math.round((before + clock.now()) / 2 - examined.now) };
  } catch (error) {
    return { failure: errorText(error) };
  } finally {
    await pool.end();
  }
}

function judgeServer({ release, readOnly, encoding }: Examined): Result {
  if (readOnly)
    return failed(
      `PostgreSQL ${release} takes no changes`,
      'name the primary, and let default_transaction_read_only be off for this user and database',
    );
  if (encoding !== 'UTF8') {
    return failed(
      `the encoding of the database is ${encoding}`,
      'create a database with ENCODING UTF8: titles can be in any language',
    );
  }
  return Number.parseInt(release, 10) <= OLD_RELEASE
    ? warning(`the server is PostgreSQL ${release}`, 'upgrade it: this release is no longer maintained')
    : ok(`the server is PostgreSQL ${release}, a primary`);
}

function judgeRights({ schema, mayMakeSchema, user }: Examined): Result {
  const quoted = `"${user.replaceAll('"', '""')}"`;
  if (schema === undefined) {
    return mayMakeSchema
      ? ok('the schema does not exist yet, and the user can create it')
      : failed(
          'the schema does not exist, and the user cannot create it',
          `CREATE SCHEMA ${SCHEMA} AUTHORIZATION ${quoted}`,
        );
  }
  const { mayUse, mayMakeTables, lacking, ofOthers } = schema;
  if (!mayUse || lacking.length > 0) {
    return failed(
      mayUse ? `the user lacks rights: ${lacking.join(', ')}` : 'the user cannot use the schema',
      `GRANT ALL ON SCHEMA ${SCHEMA} TO ${quoted}; GRANT ALL ON ALL TABLES IN SCHEMA ${SCHEMA} TO ${quoted}`,
    );
  }
  if (!mayMakeTables || ofOthers.length > 0) {
    return warning(
      mayMakeTables ? `others own these tables: ${ofOthers.join(', ')}` : 'the user cannot create tables',
      `make ${quoted} the owner of the schema and its tables: the next release has to change them`,
    );
  }
  return ok('the user has all rights');
}

function judgeSchema({ version, newest, outdated }: SchemaVersion): Result {
  if (outdated !== undefined) return failed(outdated, 'run that release here, too');
  if (version === undefined)
    return warning('there is no schema', 'start the server, or run "pinfold migrate", which creates it');
  return ok(
    version === newest
      ? 'the schema is up to date'
      : `this release works with the schema's version ${version}`,
  );
}
