import type {
  Account,
  ApiKey,
  CountedViews,
  HistoryEvent,
  KeptWarning,
  NameRecord,
  Role,
  Takedown,
} from '@pinfold/core';
import { parseJsonList, type StoredRow } from '@pinfold/core/adapter';
import type { MovedRecord, PublicationRecord, Snapshot } from '@pinfold/core/moving';
import type { PostgresConnection, Run } from '../engine/postgres-connection.ts';
import { type Statement, unprepared } from '../engine/statement.ts';
import { ACCOUNTS, API_KEYS, EVENTS, NAMES, ROLES, TAKEDOWNS, VIEWS } from '../schema/columns.ts';
import type { Tables } from '../schema/tables.ts';

/** Rows per fetch: one manifest may have a megabyte. */
const AT_ONCE = 64;

type PublicationRow = StoredRow<Role> &
  Pick<PublicationRecord, 'fingerprint' | 'lastEventAt' | 'isExpiryTold' | 'manifest'> & {
    readonly warnings: string;
  };

/** Reads all permanent data of a schema in one transaction on its own connection. */
export function postgresSnapshot(connection: PostgresConnection, tables: Tables): Snapshot {
  const { accounts, apiKeys, roles, manifests, idempotencyKeys, names, takedowns, views, events } = tables;
  const after = (columns: string, from: string, place: string, parameters: string): Statement =>
    unprepared(`
      SELECT ${columns} FROM ${from} WHERE (${place}) > (${parameters}) ORDER BY ${place} LIMIT ${AT_ONCE}`);
  const ofKey = `FROM ${idempotencyKeys} AS keys WHERE keys.account = roles.account AND keys.key = roles.idempotency_key`;
  const statements = {
    accounts: after(ACCOUNTS.select, accounts, 'name', '$1'),
    keys: after(API_KEYS.select, apiKeys, 'id', '$1'),
    publications: after(
      `${ROLES.select}, last_event_at AS "lastEventAt", expiry_told AS "isExpiryTold",
      (SELECT fingerprint ${ofKey}) AS fingerprint, (SELECT warnings ${ofKey}) AS warnings,
      (SELECT manifest FROM ${manifests} AS manifests WHERE manifests.archive = roles.archive) AS manifest`,
      `${roles} AS roles`,
      'id',
      '$1',
    ),
    names: after(NAMES.select, names, 'account, name', '$1, $2'),
    takedowns: after(TAKEDOWNS.select, takedowns, 'id, sha256', '$1, $2'),
    views: after(VIEWS.select, views, 'role, day', '$1, $2::bigint'),
    events: after(EVENTS.select, events, 'at, id', '$1::bigint, $2'),
  };

  async function* recordsOf(run: Run, signal: AbortSignal | undefined): AsyncGenerator<MovedRecord, void> {
    async function* walk<Row>(
      statement: Statement,
      first: readonly unknown[],
      placeOf: (row: Row) => readonly unknown[],
    ): AsyncGenerator<Row, void> {
      let place: readonly unknown[] | undefined = first;
      while (place !== undefined) {
        const { rows }: { readonly rows: readonly Row[] } = await run<Row>(statement, place);
        for (const row of rows) {
          signal?.throwIfAborted();
          yield row;
        }
        const last = rows.at(-1);
        place = last !== undefined && rows.length === AT_ONCE ? placeOf(last) : undefined;
      }
    }
    for await (const row of walk<StoredRow<Account>>(statements.accounts, [''], ({ name }) => [name])) {
      const { publicationsMark: _, ...value } = ACCOUNTS.read(row);
      yield { kind: 'account', value };
    }
    for await (const row of walk<StoredRow<ApiKey>>(statements.keys, [''], ({ id }) => [id])) {
      const { lastUsedAt: _, ...value } = API_KEYS.read(row);
      yield { kind: 'key', value };
    }
    for await (const row of walk<PublicationRow>(statements.publications, [''], ({ id }) => [id])) {
      const { fingerprint, lastEventAt, isExpiryTold, manifest } = row;
      const warnings = parseJsonList(row.warnings) as readonly KeptWarning[];
      const value = { ...ROLES.read(row), fingerprint, warnings, lastEventAt, isExpiryTold, manifest };
      yield { kind: 'publication', value };
    }
    for await (const row of walk<StoredRow<NameRecord>>(statements.names, ['', ''], ({ account, name }) => [
      account,
      name,
    ])) {
      yield { kind: 'name', value: NAMES.read(row) };
    }
    for await (const row of walk<StoredRow<Takedown>>(statements.takedowns, ['', ''], ({ id, sha256 }) => [
      id,
      sha256,
    ])) {
      yield { kind: 'takedown', value: TAKEDOWNS.read(row) };
    }
    for await (const row of walk<StoredRow<CountedViews>>(statements.views, ['', 0], ({ role, day }) => [
      role,
      day,
    ])) {
      yield { kind: 'views', value: VIEWS.read(row) };
    }
    const first = [Number.MIN_SAFE_INTEGER, ''];
    for await (const row of walk<StoredRow<HistoryEvent>>(statements.events, first, ({ at, id }) => [
      at,
      id,
    ])) {
      yield { kind: 'event', value: EVENTS.read(row) };
    }
  }

  return {
    async *records(signal) {
      signal?.throwIfAborted();
      yield* connection.snapshot((run) => recordsOf(run, signal));
    },
  };
}
