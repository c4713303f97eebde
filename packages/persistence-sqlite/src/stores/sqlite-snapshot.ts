import { setImmediate } from 'node:timers/promises';
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
import type { Statements } from '../engine/sqlite-connection.ts';
import { asFault } from '../engine/sqlite-errors.ts';
import type { Prepare } from '../engine/sqlite-file.ts';
import { ACCOUNTS, API_KEYS, EVENTS, NAMES, ROLES, TAKEDOWNS, VIEWS } from '../schema/columns.ts';

/** So many rows are read before others get their turn. */
const AT_ONCE = 64;

const OF_KEY =
  'FROM idempotency_keys AS keys WHERE keys.account = roles.account AND keys.key = roles.idempotency_key';

const PUBLICATIONS = `
  SELECT ${ROLES.select}, last_event_at AS lastEventAt, expiry_told AS isExpiryTold,
    (SELECT fingerprint ${OF_KEY}) AS fingerprint, (SELECT warnings ${OF_KEY}) AS warnings,
    (SELECT manifest FROM manifests WHERE manifests.archive = roles.archive) AS manifest
  FROM roles ORDER BY id`;

type PublicationRow = StoredRow<Role> &
  Pick<PublicationRecord, 'fingerprint' | 'lastEventAt' | 'manifest'> & {
    readonly isExpiryTold: number;
    readonly warnings: string;
  };

/** All that a SQLite file keeps for good, read by a connection of its own. */
export function sqliteSnapshot(connection: Statements): Snapshot {
  return {
    async *records(signal) {
      signal?.throwIfAborted();
      const file = await connection.readTransaction();
      try {
        let read = 0;
        for (const record of recordsOf(file.prepare)) {
          yield record;
          read += 1;
          if (read % AT_ONCE === 0) await setImmediate();
          signal?.throwIfAborted();
        }
      } catch (error) {
        throw asFault(error);
      } finally {
        file.close();
      }
    },
  };
}

function* recordsOf(prepare: Prepare): Generator<MovedRecord, void> {
  const walk = <Row>(sql: string): IterableIterator<Row> => prepare<Row>(sql).iterate();
  for (const row of walk<StoredRow<Account>>(`SELECT ${ACCOUNTS.select} FROM accounts ORDER BY name`)) {
    const { publicationsMark: _, ...value } = ACCOUNTS.read(row);
    yield { kind: 'account', value };
  }
  for (const row of walk<StoredRow<ApiKey>>(`SELECT ${API_KEYS.select} FROM api_keys ORDER BY id`)) {
    const { lastUsedAt: _, ...value } = API_KEYS.read(row);
    yield { kind: 'key', value };
  }
  for (const row of walk<PublicationRow>(PUBLICATIONS)) {
    const { fingerprint, lastEventAt, manifest } = row;
    const warnings = parseJsonList(row.warnings) as readonly KeptWarning[];
    const isExpiryTold = row.isExpiryTold === 1;
    const value = { ...ROLES.read(row), fingerprint, warnings, lastEventAt, isExpiryTold, manifest };
    yield { kind: 'publication', value };
  }
  for (const row of walk<StoredRow<NameRecord>>(`SELECT ${NAMES.select} FROM names ORDER BY account, name`)) {
    yield { kind: 'name', value: NAMES.read(row) };
  }
  for (const row of walk<StoredRow<Takedown>>(
    `SELECT ${TAKEDOWNS.select} FROM takedowns ORDER BY id, sha256`,
  )) {
    yield { kind: 'takedown', value: TAKEDOWNS.read(row) };
  }
  for (const row of walk<StoredRow<CountedViews>>(`SELECT ${VIEWS.select} FROM views ORDER BY role, day`)) {
    yield { kind: 'views', value: VIEWS.read(row) };
  }
  for (const row of walk<StoredRow<HistoryEvent>>(`SELECT ${EVENTS.select} FROM events ORDER BY at, id`)) {
    yield { kind: 'event', value: EVENTS.read(row) };
  }
}
