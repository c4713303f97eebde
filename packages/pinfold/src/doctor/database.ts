import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@pinfold/core';
import { CONNECTIONS, databaseOf, SCHEMA } from '../settings/databases.ts';
import type { Settings } from '../settings/settings.ts';
import { saidOf } from './error-text.ts';
import { type Finding, trying } from './finding.ts';

/** Beyond it, sites end noticeably too soon or too late. */
const MOST_DIFFERENCE = 5_000;
/** A server of this release or an older one is maintained by nobody. */
const OLD_RELEASE = 13;

/** Looks at the database, whatever its schema, and changes nothing. */
export async function* databaseFindings(
  settings: Settings,
  folder: string,
  clock: Clock,
): AsyncGenerator<Finding> {
  switch (settings.database.kind) {
    case 'sqlite':
      return yield* sqliteFindings(join(folder, databaseOf(settings.database).file ?? ''));
    case 'postgres':
      return yield* postgresFindings(settings, clock);
    default:
      return settings.database.kind satisfies never;
  }
}

async function* sqliteFindings(file: string): AsyncGenerator<Finding> {
  const looking = trying('database', `read all of ${file}`);
  const clock = trying('clock', "compare this machine's clock with the database's").skipped(
    'SQLite has no clock of its own',
  );
  if (!existsSync(file)) {
    yield looking.skipped('it is not there yet: the first start makes it');
    yield clock;
    return;
  }
  try {
    const { examineSqlite } = await import('@pinfold/persistence-sqlite');
    const { release, damage, ...schema } = examineSqlite(file);
    yield damage === undefined
      ? looking.ok(`SQLite ${release} finds nothing wrong with it`)
      : looking.failed(`SQLite finds it damaged: ${damage}`, 'stop the server, and restore it from a backup');
    yield schemaFinding(schema);
  } catch (error) {
    yield looking.failed(saidOf(error), 'see that the file is a database of Pinfold, and can be read');
  }
  yield clock;
}

async function* postgresFindings({ database, workers }: Settings, clock: Clock): AsyncGenerator<Finding> {
  const looking = trying('database', 'connect to PINFOLD_DATABASE_URL');
  const [{ examinePostgres, POOL_LIMITS }, { default: pg }] = await Promise.all([
    import('@pinfold/persistence-postgres'),
    import('pg'),
  ]);
  const pool = new pg.Pool({ connectionString: database.url, max: 1, ...POOL_LIMITS });
  pool.on('error', () => undefined);
  try {
    const before = clock.now();
    const found = await examinePostgres({ pool, schema: SCHEMA });
    const ahead = Math.round((before + clock.now()) / 2 - found.now);
    yield serverFinding(found);
    yield rightsFinding(found);
    yield connectionsFinding(found.mostConnections, workers);
    if (found.schema !== undefined) yield schemaFinding({ ...found.schema, newest: found.newest });
    yield clockFinding(ahead);
  } catch (error) {
    yield looking.failed(
      saidOf(error),
      'see that the server runs, that its address, user, password and database are those of PINFOLD_DATABASE_URL, and that pg_hba.conf lets this machine in',
    );
  } finally {
    await pool.end();
  }
}

type Examined = Awaited<ReturnType<typeof import('@pinfold/persistence-postgres').examinePostgres>>;

function serverFinding({ release, standby, readOnly, encoding }: Examined): Finding {
  const looking = trying('database', 'connect to PINFOLD_DATABASE_URL, and ask what it is');
  if (standby) {
    return looking.failed(
      `PostgreSQL ${release} follows another server`,
      'name the primary, which takes changes',
    );
  }
  if (readOnly) {
    return looking.failed(
      `PostgreSQL ${release} takes no changes by default`,
      'ALTER ROLE … or DATABASE … SET default_transaction_read_only = off',
    );
  }
  if (encoding !== 'UTF8') {
    return looking.failed(
      `its encoding is ${encoding}`,
      'make a database with ENCODING UTF8: titles are of any language',
    );
  }
  if (Number.parseInt(release, 10) <= OLD_RELEASE) {
    return looking.warning(`PostgreSQL ${release}`, 'upgrade it: nobody maintains this release');
  }
  return looking.ok(`PostgreSQL ${release}, a primary`);
}

function rightsFinding({ schema, mayMakeSchema, user }: Examined): Finding {
  const quoted = `"${user.replaceAll('"', '""')}"`;
  const looking = trying('database.rights', `ask what its user may do in the schema ${SCHEMA}`);
  if (schema === undefined) {
    return mayMakeSchema
      ? looking.ok('it is not there yet, and may be made')
      : looking.failed(
          'it is not there, and may not be made',
          `CREATE SCHEMA ${SCHEMA} AUTHORIZATION ${quoted}`,
        );
  }
  const { mayUse, mayMakeTables, lacking, ofOthers } = schema;
  if (!mayUse || lacking.length > 0) {
    const came = mayUse ? `not granted: ${lacking.join(', ')}` : 'it may not be used';
    return looking.failed(
      came,
      `GRANT ALL ON SCHEMA ${SCHEMA} TO ${quoted}; GRANT ALL ON ALL TABLES IN SCHEMA ${SCHEMA} TO ${quoted}`,
    );
  }
  if (!mayMakeTables || ofOthers.length > 0) {
    return looking.warning(
      mayMakeTables ? `tables of others: ${ofOthers.join(', ')}` : 'no tables may be made in it',
      `let ${quoted} own the schema and its tables, or the next release cannot change them`,
    );
  }
  return looking.ok('all that is needed');
}

/** What the pages on many machines count: one pool for each worker, and one for the process that leads them. */
function connectionsFinding(most: number, workers: number): Finding {
  const needed = CONNECTIONS * (workers === 1 ? 1 : workers + 1);
  const looking = trying('database.connections', 'compare max_connections with what this machine may open');
  return needed < most
    ? looking.ok(`${most} for all, of which this machine takes ${needed}`)
    : looking.failed(
        `${most} for all, and this machine may open ${needed}`,
        'raise max_connections, or lower PINFOLD_WORKERS',
      );
}

function schemaFinding({
  version,
  newest,
  outdated,
}: {
  readonly version?: number;
  readonly newest: number;
  readonly outdated?: string;
}): Finding {
  const looking = trying('schema', `compare its version with ${newest}, which this release makes`);
  if (outdated !== undefined) return looking.failed(outdated, 'run that release here, too');
  if (version === undefined) {
    return looking.warning('there is none', 'start the server, or "pinfold migrate", which makes it');
  }
  if (version < newest) {
    return looking.warning(
      `it has version ${version}`,
      'start the server, or "pinfold migrate", which brings it up',
    );
  }
  return looking.ok(
    version === newest ? 'it is the same' : `it has version ${version}, and this release works with it`,
  );
}

function clockFinding(ahead: number): Finding {
  const looking = trying('clock', "compare this machine's clock with the database's");
  const came = `${Math.abs(ahead) / 1_000} s ${ahead < 0 ? 'behind' : 'ahead'}`;
  return Math.abs(ahead) > MOST_DIFFERENCE
    ? looking.failed(
        came,
        'let chrony or systemd-timesyncd set the clocks of both: sites end too soon or too late',
      )
    : looking.ok(came);
}
