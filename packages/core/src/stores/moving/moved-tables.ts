import type { Token } from '../../domain/identity.ts';
import type { Instant } from '../../domain/instant.ts';
import type { MovedRecord, PublicationRecord } from '../../domain/record-lines.ts';
import { oneOf } from '../../records/conditions.ts';
import { all, nothing, type Steps } from '../../records/step.ts';
import { find, get } from '../../records/steps.ts';
import type { AnyTable } from '../../records/table.ts';
import { ACCOUNTS, API_KEYS } from '../../records/tables/account-tables.ts';
import {
  IDEMPOTENCY_KEYS,
  MANIFESTS,
  NAMES,
  ROLES,
  type RoleRow,
  TAKEDOWNS,
  VIEWS,
} from '../../records/tables/role-tables.ts';
import { EVENTS } from '../../records/tables/service-tables.ts';
import { derivedMembers, ROLE, roleOf } from '../role-rows.ts';
import { FIRST } from '../roles/commits.ts';

const PUBLICATION = [...ROLE, 'lastEventAt', 'isExpiryRecorded', 'hasArchive'] as const;
const ANSWERED = ['fingerprint', 'warnings'] as const;

/** A row of any table. */
export type AnyRow = Readonly<Record<string, unknown>>;

/** A row and its table. */
export interface PlacedRow {
  readonly table: AnyTable;
  readonly row: AnyRow;
}

/** The kinds of records in a snapshot. */
export type MovedKind = Exclude<MovedRecord['kind'], 'removal'>;

/** How records of one kind are stored. */
interface MovedTable {
  readonly table: AnyTable;
  /** The columns to read, including those of the key. */
  readonly select: readonly string[];
  /** Makes the values of records from rows, and reads further rows for that. When absent, the rows are the values. */
  valuesOf?(rows: readonly AnyRow[]): Steps<readonly AnyRow[], 'read'>;
  /** Makes the rows of a value. If the first one exists, none is inserted. */
  rowsOf(value: AnyRow): readonly [PlacedRow, ...PlacedRow[]];
}

/** For a table whose rows are the records, without some members: an imported row has the given `defaults`. */
function rows(table: AnyTable, defaults: AnyRow, assigned: readonly string[] = []): MovedTable {
  const excluded = [...Object.keys(defaults), ...assigned];
  return {
    table,
    select: Object.keys(table.columns).filter((column) => !excluded.includes(column)),
    rowsOf: (value) => [{ table, row: { ...value, ...defaults } }],
  };
}

const ofNames = rows(NAMES, {});

/** All kinds of records, in the order of a snapshot. */
export const MOVED_TABLES: Readonly<Record<MovedKind, MovedTable>> = {
  account: rows(ACCOUNTS, { version: 1, publicationsMark: null }),
  key: rows(API_KEYS, { lastUsedAt: null }),
  publication: {
    table: ROLES,
    select: PUBLICATION,
    valuesOf: (found) => publicationsOf(found as unknown as readonly PublicationRow[]),
    rowsOf: (value) => rowsOfPublication(value as unknown as PublicationRecord),
  },
  name: {
    ...ofNames,
    *valuesOf(found) {
      return found.map(({ previous, ...value }) => (previous === null ? value : { ...value, previous }));
    },
    rowsOf: (value) => ofNames.rowsOf({ previous: null, ...value }),
  },
  takedown: rows(TAKEDOWNS, {}),
  views: rows(VIEWS, {}),
  event: rows(EVENTS, { feedNumber: null, accountFeedNumber: null }, ['sequence']),
};

type PublicationRow = Pick<RoleRow, (typeof PUBLICATION)[number]>;

function* publicationsOf(roles: readonly PublicationRow[]): Steps<readonly AnyRow[], 'read'> {
  const archives = roles.flatMap(({ archive, hasArchive }) => (hasArchive ? [archive] : []));
  const [manifests, keys] = yield* all(
    find(MANIFESTS, { archive: oneOf(archives) }),
    all(
      ...roles.map(({ account, idempotencyKey: key }) =>
        key === null ? nothing : get(IDEMPOTENCY_KEYS, { account, key }, ANSWERED),
      ),
    ),
  );
  const manifestOf = new Map(manifests.map(({ archive, manifest }) => [archive, manifest]));
  return roles.map((row, n) => ({
    ...roleOf(row),
    fingerprint: keys[n]?.fingerprint ?? null,
    warnings: keys[n]?.warnings ?? [],
    lastEventAt: row.lastEventAt,
    isExpiryRecorded: row.isExpiryRecorded,
    manifest: manifestOf.get(row.archive) ?? null,
  }));
}

/** The token of an imported Idempotency-Key. No publication has it, so no commit can repeat it. */
const MOVED = 'moved' as Token;

function rowsOfPublication(record: PublicationRecord): readonly [PlacedRow, ...PlacedRow[]] {
  const { fingerprint, warnings, lastEventAt, isExpiryRecorded, manifest, ...role } = record;
  const { id, account, archive, idempotencyKey: key } = role;
  const row: RoleRow = {
    ...role,
    ...FIRST,
    ...derivedMembers(role),
    lastEventAt,
    isExpiryRecorded,
    hasArchive: manifest !== null,
  };
  const held = { token: MOVED, begunAt: 0 as Instant, heldUntil: 0 as Instant, role: id };
  return [
    { table: ROLES, row: { ...row } },
    ...(key === null || fingerprint === null
      ? []
      : [{ table: IDEMPOTENCY_KEYS, row: { account, key, fingerprint, ...held, warnings } }]),
    ...(manifest === null ? [] : [{ table: MANIFESTS, row: { archive, manifest } }]),
  ];
}
