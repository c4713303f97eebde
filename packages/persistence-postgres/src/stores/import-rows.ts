import { type Table, titleFolded } from '@pinfold/core/adapter';
import type { MovedRecord, PublicationRecord } from '@pinfold/core/moving';
import { ACCOUNTS, API_KEYS, EVENTS, NAMES, ROLES, TAKEDOWNS, VIEWS } from '../schema/columns.ts';

/** A row to insert: its columns and their values. */
type Row = Readonly<Record<string, unknown>>;

/** The tables of records, in an order that satisfies their references. */
export const FILLED = [
  'account',
  'key',
  'role',
  'manifest',
  'idempotencyKey',
  'name',
  'takedown',
  'views',
  'event',
] as const;

/** The rows of records for each table. */
export function rowsOf(
  records: readonly MovedRecord[],
): Readonly<Record<(typeof FILLED)[number], readonly Row[]>> {
  const publications = records.flatMap(({ kind, value }) => (kind === 'publication' ? [value] : []));
  return {
    account: records.flatMap(({ kind, value }) =>
      kind === 'account'
        ? [{ version: 1, ...columnsOf(ACCOUNTS, { ...value, publicationsMark: null }) }]
        : [],
    ),
    key: records.flatMap(({ kind, value }) =>
      kind === 'key' ? [columnsOf(API_KEYS, { ...value, lastUsedAt: null })] : [],
    ),
    role: publications.map(roleRow),
    manifest: publications.flatMap(({ archive, manifest }) =>
      manifest === null ? [] : [{ archive, manifest }],
    ),
    idempotencyKey: publications.map(keyRow),
    name: records.flatMap(({ kind, value }) => (kind === 'name' ? [columnsOf(NAMES, value)] : [])),
    takedown: records.flatMap(({ kind, value }) =>
      kind === 'takedown' ? [columnsOf(TAKEDOWNS, value)] : [],
    ),
    views: records.flatMap(({ kind, value }) => (kind === 'views' ? [columnsOf(VIEWS, value)] : [])),
    // Events of one turn are numbered in the order (at, id), and these before all later ones.
    event: records.flatMap(({ kind, value }) =>
      kind === 'event' ? [{ turn: 0, ...columnsOf(EVENTS, value) }] : [],
    ),
  };
}

function roleRow(record: PublicationRecord): Row {
  return {
    version: 1,
    title_folded: titleFolded(record),
    last_event_at: record.lastEventAt,
    expiry_told: record.isExpiryTold,
    archive_kept: record.manifest !== null,
    failures: 0,
    purged: false,
    ...columnsOf(ROLES, record),
  };
}

function keyRow({ account, idempotencyKey, fingerprint, id, warnings }: PublicationRecord): Row {
  return {
    account,
    key: idempotencyKey,
    fingerprint,
    // No publication has this token, so no commit can repeat it.
    token: 'moved',
    begun_at: 0,
    held_until: 0,
    role: id,
    warnings: JSON.stringify(warnings),
  };
}

function columnsOf<Value>(table: Table<Value>, value: Value): Row {
  const columns = table.insert.split(', ');
  const values = table.values(value);
  return Object.fromEntries(columns.map((column, n) => [column, values[n]]));
}
