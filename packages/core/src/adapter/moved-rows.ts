import type { Account } from '../domain/account.ts';
import type { ApiKey } from '../domain/api-key.ts';
import type { MovedRecord, PublicationRecord } from '../domain/records.ts';
import type { Role } from '../domain/role.ts';
import type { KeptWarning } from '../domain/warnings.ts';
import { parseJsonList } from './json.ts';
import { titleFolded } from './pages.ts';
import type { RecordTables } from './record-tables.ts';
import type { StoredRow, Table } from './table.ts';

/** Rows per statement: one manifest may have a megabyte. */
const PAGE = 64;

export interface SnapshotReader {
  readonly tables: RecordTables;
  nameOf(table: string): string;
  parameter(place: number): string;
  read<Row>(sql: string, values: readonly unknown[]): Promise<readonly Row[]>;
}

type PublicationRow = StoredRow<Role> &
  Pick<PublicationRecord, 'fingerprint' | 'lastEventAt' | 'isExpiryTold' | 'manifest'> & {
    readonly warnings: string;
  };

/** Reads the records of a database page by page, in the order that a snapshot promises. */
export async function* snapshotRecords(
  { tables, nameOf, parameter, read }: SnapshotReader,
  signal: AbortSignal | undefined,
): AsyncGenerator<MovedRecord, void> {
  /** Reads a table by the columns of its primary key, whose names are those of the members. */
  async function* walk<Row>(select: string, table: string, ...key: string[]): AsyncGenerator<Row, void> {
    const order = key.join(', ');
    const after = `WHERE (${order}) > (${key.map((_, n) => parameter(n + 1)).join(', ')})`;
    let last: Row | undefined;
    for (let size = PAGE; size === PAGE; ) {
      const where = last === undefined ? '' : after;
      const place = last === undefined ? [] : key.map((member) => last?.[member as keyof Row]);
      const sql = `SELECT ${select} FROM ${nameOf(table)} AS ${table} ${where} ORDER BY ${order} LIMIT ${PAGE}`;
      const rows = await read<Row>(sql, place);
      for (const row of rows) {
        signal?.throwIfAborted();
        yield row;
      }
      last = rows.at(-1);
      size = rows.length;
    }
  }
  async function* records<Row>(table: Table<Row>, name: string, ...key: string[]): AsyncGenerator<Row, void> {
    for await (const row of walk<StoredRow<Row>>(table.select, name, ...key)) yield table.read(row);
  }

  for await (const account of records<Account>(tables.accounts, 'accounts', 'name')) {
    const { publicationsMark: _, ...value } = account;
    yield { kind: 'account', value };
  }
  for await (const key of records<ApiKey>(tables.apiKeys, 'api_keys', 'id')) {
    const { lastUsedAt: _, ...value } = key;
    yield { kind: 'key', value };
  }
  const ofKey = `
    FROM ${nameOf('idempotency_keys')} AS keys WHERE keys.account = roles.account AND keys.key = roles.idempotency_key`;
  const publication = `
    ${tables.roles.select}, last_event_at AS "lastEventAt", expiry_told AS "isExpiryTold",
    (SELECT fingerprint ${ofKey}) AS fingerprint, (SELECT warnings ${ofKey}) AS warnings,
    (SELECT manifest FROM ${nameOf('manifests')} AS manifests WHERE manifests.archive = roles.archive) AS manifest`;
  for await (const row of walk<PublicationRow>(publication, 'roles', 'id')) {
    const { fingerprint, lastEventAt, manifest } = row;
    const warnings = parseJsonList(row.warnings) as readonly KeptWarning[];
    const isExpiryTold = Boolean(row.isExpiryTold);
    const value = { ...tables.roles.read(row), fingerprint, warnings, lastEventAt, isExpiryTold, manifest };
    yield { kind: 'publication', value };
  }
  for await (const value of records(tables.names, 'names', 'account', 'name')) yield { kind: 'name', value };
  for await (const value of records(tables.takedowns, 'takedowns', 'id', 'sha256')) {
    yield { kind: 'takedown', value };
  }
  for await (const value of records(tables.views, 'views', 'role', 'day')) yield { kind: 'views', value };
  for await (const value of records(tables.events, 'events', 'at', 'id')) yield { kind: 'event', value };
}

/** The rows of one table that an import inserts: the values of each stand in the order of the columns. */
export interface ImportedRows {
  readonly table: string;
  readonly columns: string;
  readonly rows: unknown[][];
}

/** The rows of records by table, in an order that satisfies the references between tables. */
export function importedRows(tables: RecordTables, records: readonly MovedRecord[]): readonly ImportedRows[] {
  const into = <Row>(table: string, columns: Pick<Table<Row>, 'insert'>, further = ''): ImportedRows => ({
    table,
    columns: further + columns.insert,
    rows: [],
  });
  const state = 'version, title_folded, last_event_at, expiry_told, archive_kept, ';
  const accounts = into('accounts', tables.accounts, 'version, ');
  const keys = into('api_keys', tables.apiKeys);
  const roles = into('roles', tables.roles, state);
  const manifests = into('manifests', { insert: 'archive, manifest' });
  const reserved = 'account, key, fingerprint, token, begun_at, held_until, role, warnings';
  const idempotencyKeys = into('idempotency_keys', { insert: reserved });
  const names = into('names', tables.names);
  const takedowns = into('takedowns', tables.takedowns);
  const views = into('views', tables.views);
  const events = into('events', tables.events);

  for (const { kind, value } of records) {
    if (kind === 'account') {
      accounts.rows.push([1, ...tables.accounts.values({ ...value, publicationsMark: null })]);
    } else if (kind === 'key') keys.rows.push([...tables.apiKeys.values({ ...value, lastUsedAt: null })]);
    else if (kind === 'publication') {
      const { account, archive, fingerprint, id, idempotencyKey, isExpiryTold, lastEventAt, manifest } =
        value;
      const hasArchive = manifest !== null;
      const values = tables.roles.values(value);
      roles.rows.push([1, titleFolded(value), lastEventAt, isExpiryTold, hasArchive, ...values]);
      if (hasArchive) manifests.rows.push([archive, manifest]);
      // No publication has the token "moved", so no commit can repeat it.
      const warnings = JSON.stringify(value.warnings);
      idempotencyKeys.rows.push([account, idempotencyKey, fingerprint, 'moved', 0, 0, id, warnings]);
    } else if (kind === 'name') names.rows.push([...tables.names.values(value)]);
    else if (kind === 'takedown') takedowns.rows.push([...tables.takedowns.values(value)]);
    else if (kind === 'views') views.rows.push([...tables.views.values(value)]);
    else if (kind === 'event') events.rows.push([...tables.events.values(value)]);
  }
  return [accounts, keys, roles, manifests, idempotencyKeys, names, takedowns, views, events];
}
