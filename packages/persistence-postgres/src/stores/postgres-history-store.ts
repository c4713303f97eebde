import type { EventQuery, ExpiredRole, HistoryStore } from '@pinfold/core';
import { eventPageOf } from '@pinfold/core/adapter';
import { NEWEST } from '@pinfold/core/internal';
import type { PostgresConnection } from '../engine/postgres-connection.ts';
import { prepared, type Statement, unprepared } from '../engine/statement.ts';
import { EVENTS } from '../schema/columns.ts';
import type { Tables } from '../schema/tables.ts';
import { eventsIn, rowsOf } from './events.ts';
import { dropping, numberingOf, readingFeed } from './feed.ts';

const UNTOLD = 'NOT expiry_told AND (deleted_at IS NULL OR deleted_at >= expires_at)';

export function postgresHistoryStore(connection: PostgresConnection, tables: Tables): HistoryStore {
  const { events, roles } = tables;
  const statements = {
    // A generic plan, for any limit, could read the whole table.
    list: (filters: readonly string[]): Statement =>
      unprepared(`
        SELECT ${EVENTS.select} FROM ${events} WHERE (at, id) < ($1, $2)${filters.map((filter) => ` AND ${filter}`).join('')}
        ORDER BY at DESC, id DESC LIMIT $3`),
    expired: unprepared(`
      SELECT id AS role, account, expires_at AS "expiresAt" FROM ${roles}
      WHERE ${UNTOLD} AND expires_at <= $1 ORDER BY expires_at LIMIT $2`),
    tell: prepared(`
      WITH told AS (
        UPDATE ${roles} AS role
        SET expiry_told = true, version = version + 1, last_event_at = greatest(last_event_at, expires_at)
        FROM ${eventsIn(1)}
        WHERE ${UNTOLD} AND role.id = event.pin AND role.expires_at = event.at
        RETURNING event.*
      )
      INSERT INTO ${events} (${EVENTS.insert})
      SELECT ${EVENTS.insert} FROM told`),
    drop: dropping(
      tables,
      `SELECT at, id FROM ${events} AS old WHERE recorded_at < $1 ORDER BY recorded_at LIMIT $2`,
    ),
    thin: dropping(
      tables,
      `
        SELECT old.at, old.id FROM (
          SELECT DISTINCT pin FROM ${events} WHERE recorded_at >= $1 AND recorded_at < $2 AND pin IS NOT NULL
        ) AS recent
        CROSS JOIN LATERAL (
          SELECT at, id FROM ${events} WHERE pin = recent.pin ORDER BY at DESC, id DESC LIMIT 1 OFFSET $3
        ) AS newest
        JOIN ${events} AS old ON old.pin = recent.pin AND (old.at, old.id) <= (newest.at, newest.id)
        WHERE old.recorded_at < $2
        LIMIT $4`,
    ),
  };
  const numberEvents = numberingOf(connection, tables);
  /** Events get their numbers first: the feeds must begin after those that are dropped. */
  const drop = async (statement: Statement, values: readonly unknown[]): Promise<number> => {
    await numberEvents();
    return (await connection.write(statement, values)).count;
  };
  return {
    list: async (query) => {
      const { at, id } = query.after ?? NEWEST;
      const { filters, values } = filtersOf(query, 4);
      const bound = [at, id, query.limit + 1, ...values];
      return eventPageOf(await connection.records(EVENTS, statements.list(filters), bound), query.limit);
    },
    expired: (by, limit) => connection.read<ExpiredRole>(statements.expired, [by, limit]),
    tellExpired: async (told) => {
      await connection.write(statements.tell, [rowsOf(told)]);
    },
    feed: readingFeed(connection, tables),
    drop: (before, limit) => drop(statements.drop, [before, limit]),
    thin: ({ since, until, keep, limit }) => drop(statements.thin, [since, until, keep, limit]),
  };
}

/** A role has few events, so its filter uses its own index rather than the account's. */
function filtersOf(
  { account, pin, since }: EventQuery,
  first: number,
): { readonly filters: readonly string[]; readonly values: readonly unknown[] } {
  const wanted = [
    { value: pin, compare: 'pin =' },
    { value: account, compare: pin === undefined ? 'account =' : 'account IS NOT DISTINCT FROM' },
    { value: since, compare: 'at >=' },
  ].filter(({ value }) => value !== undefined);
  return {
    filters: wanted.map(({ compare }, n) => `${compare} $${first + n}`),
    values: wanted.map(({ value }) => value),
  };
}
