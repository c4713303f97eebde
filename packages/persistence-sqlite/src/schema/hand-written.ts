import { filenameFolded } from '@pinfold/core/adapter';
import { TABLES } from '@pinfold/core/records';
import { createTables } from '@pinfold/core/sql';
import { SQLITE } from '../database/sqlite-dialect.ts';
import type { Prepare } from '../engine/sqlite-file.ts';

// To be deleted at the first release.

/** The version of the schema that was written by hand. No release has it. */
export const HAND_WRITTEN = 16;

/** Where the rows of a table come from. */
interface Source {
  /** The table of before; of the same name when absent. */
  readonly from?: string;
  /** What is joined to it. */
  readonly join?: string;
  /** The values of columns by their names; of the same column when absent. */
  readonly columns?: Readonly<Record<string, string>>;
}

interface MovedTable {
  readonly name: string;
  readonly from: string;
}

const ONE = { id: 'one' };

const SOURCES: Readonly<Record<string, Source>> = {
  accounts: { columns: { blocked: "nullif(blocked, 'null')" } },
  api_keys: { columns: { is_ensured: 'ensured' } },
  attempt_windows: {
    columns: {
      number: 'row_number() OVER (PARTITION BY role ORDER BY id)',
      counted: "iif(counted = '', '', json_quote(substr(counted, 6)))",
    },
  },
  attempts: {
    join: `JOIN old_attempt_windows AS of_address ON of_address.id = old.address_window
      JOIN old_attempt_windows AS of_role ON of_role.id = old.role_window`,
    columns: {
      role: 'of_role.role',
      number: 'row_number() OVER (PARTITION BY of_role.role ORDER BY old.id)',
      ticket: 'old.id',
      counted: 'json_quote(substr(of_address.counted, 6))',
      address_ends_at: 'of_address.ends_at',
      role_ends_at: 'of_role.ends_at',
      ends_at: 'old.ends_at',
    },
  },
  comparisons: { from: 'comparison', columns: ONE },
  events: {
    columns: { sequence: 'number', feed_number: 'NULL', account_feed_number: 'account_number' },
  },
  feed_begins: {},
  feeds: { from: 'feed', columns: { id: 'one', feed: 'id' } },
  idempotency_keys: {},
  manifests: {},
  names: { columns: { previous: 'NULL' } },
  pairings: {},
  roles: {
    columns: {
      // Of other characters than those of ASCII, too, see below.
      filename_folded: 'lower(original_filename)',
      ending_rank: `coalesce(${Number.MAX_SAFE_INTEGER} - expires_at, 0)`,
      is_expiry_recorded: 'expiry_told',
      has_archive: 'archive_kept',
      is_purged: 'purged',
      cleanup_token: 'claim_token',
      cleanup_not_before: 'not_before',
      cleanup_failures: 'failures',
    },
  },
  service_modes: { from: 'service_mode', columns: ONE },
  session_refusals: { columns: { recorded_at: 'told_at' } },
  sessions: {},
  sign_in_links: {},
  takedowns: {},
  unfinished_imports: { from: 'import_mark', columns: ONE },
  views: {},
};

/** What each name showed before, by its events since it was deleted last. With `max`, SQLite takes the other columns from its row. */
const KEEP_PREVIOUS = `
  UPDATE names SET previous = moved.pin FROM (
    SELECT events.account, events.name, events.pin, max(events.sequence)
    FROM events JOIN names USING (account, name) LEFT JOIN (
      SELECT account, name, max(sequence) AS sequence FROM events WHERE type = 'name.deleted' GROUP BY account, name
    ) AS ended USING (account, name)
    WHERE events.type = 'name.set' AND events.pin <> names.role AND events.sequence > coalesce(ended.sequence, 0)
    GROUP BY events.account, events.name
  ) AS moved WHERE names.account = moved.account AND names.name = moved.name`;

/** Tables that refer to others go first. */
const FIRST_DROPPED = ['names', 'idempotency_keys'];

const INDEXES = `
  SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND tbl_name GLOB 'old_*'`;
const FOREIGN_NAMES = `
  SELECT id, original_filename AS originalFilename FROM roles WHERE original_filename GLOB '*[^ -~]*'`;

/**
 * Moves all rows from the tables of the schema that was written by hand to those that the core declares: in the transaction
 * of its caller. Indexes are created at the end, when their rows can be sorted.
 */
export function moveHandWritten(prepare: Prepare, exec: (sql: string) => void): void {
  const sources = Object.entries(SOURCES).map(([name, source]) => ({ from: name, name, ...source }));
  for (const { from } of sources) exec(`ALTER TABLE ${from} RENAME TO old_${from}`);
  for (const { name } of prepare<{ readonly name: string }>(INDEXES).all()) exec(`DROP INDEX ${name}`);
  const statements = createTables(TABLES, SQLITE);
  const isTable = (sql: string): boolean => sql.startsWith('CREATE TABLE');
  for (const sql of statements.filter(isTable)) exec(sql);
  for (const source of sources) exec(movingRows(prepare, source));
  foldNames(prepare);
  exec(KEEP_PREVIOUS);
  keepSequences(exec);
  const dropped = sources.map(({ from }) => from).filter((from) => !FIRST_DROPPED.includes(from));
  for (const from of [...FIRST_DROPPED, ...dropped]) exec(`DROP TABLE old_${from}`);
  for (const sql of statements.filter((one) => !isTable(one))) exec(sql);
}

function movingRows(prepare: Prepare, { name, from, join = '', columns = {} }: Source & MovedTable): string {
  const names = prepare<{ readonly name: string }>('SELECT name FROM pragma_table_info(?)').all(name);
  const values = names.map((column) => columns[column.name] ?? column.name);
  const order = name === 'events' ? 'ORDER BY number' : '';
  const into = `${name} (${names.map((column) => column.name).join()})`;
  return `INSERT INTO ${into} SELECT ${values.join()} FROM old_${from} AS old ${join} ${order}`;
}

function foldNames(prepare: Prepare): void {
  type Named = Parameters<typeof filenameFolded>[0] & { readonly id: string };
  for (const { id, originalFilename } of prepare<Named>(FOREIGN_NAMES).all()) {
    prepare('UPDATE roles SET filename_folded = ? WHERE id = ?').run(
      filenameFolded({ originalFilename }),
      id,
    );
  }
}

/** A number is never used twice, not even that of a row that was removed before. */
function keepSequences(exec: (sql: string) => void): void {
  exec(`
    DELETE FROM sqlite_sequence WHERE name IN ('events', 'attempts');
    INSERT INTO sqlite_sequence (name, seq) VALUES
      ('events', max(
        coalesce((SELECT max(sequence) FROM events), 0),
        coalesce((SELECT number FROM feed_begins WHERE account = ''), 0)
      )),
      ('attempts', coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'old_attempts'), 0))`);
}
