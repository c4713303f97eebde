import type { Token } from '@pinfold/core';
import { type Table, titleFolded } from '@pinfold/core/adapter';
import type { Import, MovedRecord, PublicationRecord, RemovalRecord } from '@pinfold/core/moving';
import type { Statements } from '../engine/sqlite-connection.ts';
import type { Prepare } from '../engine/sqlite-file.ts';
import { ACCOUNTS, API_KEYS, EVENTS, NAMES, ROLES, TAKEDOWNS, VIEWS } from '../schema/columns.ts';
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

const keeping = <Row>(table: string, { insert, parameters }: Table<Row>): string =>
  `INSERT INTO ${table} (${insert}) VALUES (${parameters(1)}) ON CONFLICT DO NOTHING`;
const KEEP_ACCOUNT = `
  INSERT INTO accounts (version, ${ACCOUNTS.insert}) VALUES (1, ${ACCOUNTS.parameters(2)}) ON CONFLICT DO NOTHING`;
const KEEP_KEY = keeping('api_keys', API_KEYS);
const KEEP_EVENT = keeping('events', EVENTS);
const KEEP_NAME = keeping('names', NAMES);
const KEEP_TAKEDOWN = keeping('takedowns', TAKEDOWNS);
const KEEP_VIEWS = keeping('views', VIEWS);
const KEEP_ROLE = `
  INSERT INTO roles (version, title_folded, last_event_at, expiry_told, archive_kept, ${ROLES.insert})
  VALUES (1, ?, ?, ?, ?, ${ROLES.parameters(6)}) ON CONFLICT DO NOTHING`;
const KEEP_MANIFEST = 'INSERT INTO manifests (archive, manifest) VALUES (?, ?)';
/** No publication has this token, so no commit can repeat it. */
const KEEP_IDEMPOTENCY_KEY = `
  INSERT INTO idempotency_keys (account, key, fingerprint, token, begun_at, held_until, role, warnings)
  VALUES (?, ?, ?, 'moved', 0, 0, ?, ?)`;
const DROP_MANIFEST = 'DELETE FROM manifests WHERE archive = (SELECT archive FROM roles WHERE id = ?)';
const REMOVE = 'UPDATE roles SET expires_at = ?, deleted_at = ?, archive_kept = 0 WHERE id = ?';

/** Takes the records of another database into a SQLite file. */
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
        for (const record of records) keepOne(prepare, record);
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

function keepOne(prepare: Prepare, { kind, value }: MovedRecord): void {
  switch (kind) {
    case 'account':
      prepare(KEEP_ACCOUNT).run(...ACCOUNTS.values({ ...value, publicationsMark: null }));
      return;
    case 'key':
      prepare(KEEP_KEY).run(...API_KEYS.values({ ...value, lastUsedAt: null }));
      return;
    case 'publication':
      keepPublication(prepare, value);
      return;
    case 'name':
      prepare(KEEP_NAME).run(...NAMES.values(value));
      return;
    case 'takedown':
      prepare(KEEP_TAKEDOWN).run(...TAKEDOWNS.values(value));
      return;
    case 'views':
      prepare(KEEP_VIEWS).run(...VIEWS.values(value));
      return;
    case 'event':
      prepare(KEEP_EVENT).run(...EVENTS.values(value));
      return;
    case 'removal':
      keepRemoval(prepare, value);
      return;
    default:
      kind satisfies never;
  }
}

function keepPublication(prepare: Prepare, record: PublicationRecord): void {
  const { fingerprint, warnings, lastEventAt, isExpiryTold, manifest, ...role } = record;
  const state = [titleFolded(role), lastEventAt, Number(isExpiryTold), Number(manifest !== null)];
  if (prepare(KEEP_ROLE).run(...state, ...ROLES.values(role)).changes === 0) return;
  if (manifest !== null) prepare(KEEP_MANIFEST).run(role.archive, manifest);
  const key = [role.account, role.idempotencyKey, fingerprint, role.id, JSON.stringify(warnings)];
  prepare(KEEP_IDEMPOTENCY_KEY).run(...key);
}

function keepRemoval(prepare: Prepare, { id, expiresAt, deletedAt }: RemovalRecord): void {
  prepare(DROP_MANIFEST).run(id);
  prepare(REMOVE).run(expiresAt, deletedAt, id);
}
