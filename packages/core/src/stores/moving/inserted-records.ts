import { withoutHash } from '../../domain/password.ts';
import type { MovedRecord, RemovalRecord } from '../../domain/record-lines.ts';
import { all, nothing } from '../../records/joining.ts';
import type { Step, Steps } from '../../records/step.ts';
import { find, get, insert, remove, update } from '../../records/steps.ts';
import { IDEMPOTENCY_KEYS, MANIFESTS, ROLES } from '../../records/tables/role-tables.ts';
import { derivedMembers } from '../role-changes.ts';
import { pick } from '../rows.ts';
import { type AnyRow, MOVED_TABLES, type PlacedRow } from './moved-tables.ts';

const REMOVED = [
  'account',
  'archive',
  'idempotencyKey',
  'title',
  'originalFilename',
  'passwordHash',
] as const;

/** Inserts records, of two with one key the first, and then removes the archives whose removal is among them. */
export function* insertRecords(records: readonly MovedRecord[]): Steps<void> {
  const moved = records.flatMap(({ kind, value }) => {
    return kind === 'removal' ? [] : [MOVED_TABLES[kind].rowsOf(value as unknown as AnyRow)];
  });
  const found = yield* all(...moved.map((rows) => all(...rows.map(findTaken))));
  const taken = new Set<string>();
  const free = moved.flatMap((rows, n) => {
    const isFree = rows.map((row, m) => {
      const isStored = found[n]?.[m]?.some((same) => same.length > 0) === true;
      return !isStored && keysOf(row).every((key) => !taken.has(key));
    });
    const own = isFree[0] === true ? rows.filter((_, m) => isFree[m]) : [];
    for (const key of own.flatMap(keysOf)) taken.add(key);
    return own;
  });
  yield* all(...free.map(({ table, row }) => insert(table, row as never)));
  for (const { kind, value } of records) if (kind === 'removal') yield* removeArchive(value);
}

/** Reads what has one of the keys of a row. */
function findTaken({ table, row }: PlacedRow): Step<readonly (readonly object[])[], 'read'> {
  const select = table.key as readonly never[];
  return all(...keyMembers(table).map((members) => find(table, pick(row, members), { limit: 1, select })));
}

/** The keys of a row as texts. */
function keysOf({ table, row }: PlacedRow): readonly string[] {
  return keyMembers(table).map((members) => JSON.stringify([table.name, pick(row, members)]));
}

function keyMembers({ key, unique }: PlacedRow['table']): readonly (readonly string[])[] {
  return [key, ...unique];
}

/** A role whose archive was removed after its publication's record was read has the ends of then. */
function* removeArchive({ id, expiresAt, deletedAt }: RemovalRecord): Steps<void> {
  const row = yield* get(ROLES, { id }, REMOVED);
  if (row === undefined) return;
  const { account, archive, idempotencyKey: key } = row;
  const { endedAt, endingRank } = derivedMembers({ ...row, expiresAt, deletedAt });
  const passwordHash = withoutHash(row.passwordHash);
  yield* all(
    update(ROLES, { id }, { expiresAt, deletedAt, endedAt, endingRank, hasArchive: false, passwordHash }),
    remove(MANIFESTS, { archive }),
    key === null ? nothing : update(IDEMPOTENCY_KEYS, { account, key }, { warnings: [] }),
  );
}
