import type { Token } from '@pinfold/core';
import { importedRows } from '@pinfold/core/internal';
import type { Import, MovedRecord } from '@pinfold/core/moving';
import type { Statements } from '../engine/sqlite-connection.ts';
import type { Prepare } from '../engine/sqlite-file.ts';
import { RECORDS } from '../schema/columns.ts';
import { NEW_FEED } from '../schema/migrations.ts';

const MARK = 'SELECT token FROM import_mark';
const SET_MARK =
  'INSERT INTO import_mark (one, token) VALUES (1, @token) ON CONFLICT (one) DO UPDATE SET token = @token';
const END = 'DELETE FROM import_mark WHERE token = ?';
const RENEW_FEED = `UPDATE feed SET id = ${NEW_FEED}`;
const NUMBER = `
  UPDATE events SET number = placed.number, account_number = iif(account IS NULL, NULL, placed.account_number)
  FROM (
    SELECT at, id, row_number() OVER (ORDER BY at, id) AS number,
      row_number() OVER (PARTITION BY account ORDER BY at, id) AS account_number
    FROM events
  ) AS placed
  WHERE events.at = placed.at AND events.id = placed.id`;

/** In an order in which none refers to one that is gone. */
const OWN = [
  'names',
  'idempotency_keys',
  'roles',
  'manifests',
  'accounts',
  'api_keys',
  'events',
  'takedowns',
  'views',
  'comparison',
  'feed_begins',
];
const IS_FOREIGN = `SELECT 1 WHERE ${OWN.filter((name) => name !== 'comparison')
  .map((name) => `EXISTS (SELECT 1 FROM ${name})`)
  .join(' OR ')}`;

const DROP_MANIFEST = 'DELETE FROM manifests WHERE archive = (SELECT archive FROM roles WHERE id = ?)';
const REMOVE = 'UPDATE roles SET expires_at = ?, deleted_at = ?, archive_kept = 0 WHERE id = ?';

export function sqliteImport(connection: Statements): Import {
  return {
    isUnfinished: (signal) => connection.read((prepare) => prepare(MARK).get() !== undefined, signal),
    begin: (token) =>
      connection.writeSchema((prepare) => {
        const isResumed = prepare(MARK).get() !== undefined;
        if (!isResumed && prepare(IS_FOREIGN).get() !== undefined) return { kind: 'refused' };
        for (const name of OWN) prepare(`DELETE FROM ${name}`).run();
        prepare(RENEW_FEED).run();
        prepare(SET_MARK).run({ token });
        return { kind: 'begun' };
      }),
    keep: (token, records) =>
      connection.writeSchema((prepare) => {
        if (!holds(prepare, token)) return { kind: 'lost' };
        keepAll(prepare, records);
        return { kind: 'kept' };
      }),
    end: (token) =>
      connection.writeSchema((prepare) => {
        if (prepare(END).run(token).changes === 0) return { kind: 'lost' };
        prepare(NUMBER).run();
        return { kind: 'ended' };
      }),
  };
}

function holds(prepare: Prepare, token: Token): boolean {
  return prepare<{ readonly token: Token }>(MARK).get()?.token === token;
}

function keepAll(prepare: Prepare, records: readonly MovedRecord[]): void {
  for (const { table, columns, rows } of importedRows(RECORDS, records)) {
    const parameters = columns.replaceAll(/\w+/g, '?');
    const insert = `INSERT INTO ${table} (${columns}) VALUES (${parameters}) ON CONFLICT DO NOTHING`;
    for (const row of rows) {
      prepare(insert).run(...row.map((value) => (typeof value === 'boolean' ? Number(value) : value)));
    }
  }
  for (const { kind, value } of records) {
    if (kind !== 'removal') continue;
    prepare(DROP_MANIFEST).run(value.id);
    prepare(REMOVE).run(value.expiresAt, value.deletedAt, value.id);
  }
}
