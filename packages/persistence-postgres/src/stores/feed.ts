import type { EventId, FeedId, FeedPart, FeedQuery, HistoryEvent } from '@pinfold/core';
import type { StoredRow } from '@pinfold/core/adapter';
import type { PostgresConnection } from '../engine/postgres-connection.ts';
import { type Statement, unprepared } from '../engine/statement.ts';
import { EVENTS } from '../schema/columns.ts';
import type { Tables } from '../schema/tables.ts';

/** Events that get their numbers in one transaction. */
const NUMBERED_AT_ONCE = 1_000;

/**
 * Returns a function that gives committed events their numbers in the feeds, until none is without.
 *
 * One statement does so for the events with the lowest turns. The lock on the row of `feed` makes nodes take turns, on
 * the server alone, so that no node can stop while it holds the lock; the update then sees all that the node before has
 * numbered (READ COMMITTED). Nothing waits for open transactions: their events get later numbers once they are committed.
 */
export function numberingOf(
  connection: PostgresConnection,
  { events, feed, feedBegins }: Tables,
): () => Promise<void> {
  const waiting = unprepared(`SELECT 1 FROM ${events} WHERE number IS NULL LIMIT 1`);
  const number = unprepared(`
    DO $do$
    BEGIN
      PERFORM 1 FROM ${feed} FOR UPDATE;
      WITH waiting AS MATERIALIZED (
        SELECT turn, at, id, account FROM ${events} WHERE number IS NULL
        ORDER BY turn, at, id LIMIT ${NUMBERED_AT_ONCE}
      ), placed AS (
        SELECT at, id,
          pg_catalog.row_number() OVER (ORDER BY turn, at, id) AS number,
          pg_catalog.row_number() OVER (PARTITION BY account ORDER BY turn, at, id) AS account_number
        FROM waiting
      )
      UPDATE ${events} AS event
      SET number = placed.number + greatest(0,
          (SELECT max(number) FROM ${events}),
          (SELECT number FROM ${feedBegins} WHERE account = '')),
        account_number = CASE WHEN event.account IS NOT NULL THEN placed.account_number + greatest(0,
          (SELECT max(own.account_number) FROM ${events} AS own WHERE own.account = event.account),
          (SELECT own.number FROM ${feedBegins} AS own WHERE own.account = event.account)) END
      FROM placed WHERE event.at = placed.at AND event.id = placed.id;
    END
    $do$`);
  return async () => {
    while ((await connection.read(waiting, [])).length > 0) await connection.write(number, []);
  };
}

/** Drops events that a query selects by (at, id) as `old`, and begins the feeds after them; unnumbered ones stay. */
export function dropping({ events, feedBegins }: Tables, selected: string): Statement {
  return unprepared(`
    WITH chosen AS MATERIALIZED (${selected} FOR UPDATE OF old SKIP LOCKED), dropped AS (
      DELETE FROM ${events} WHERE number IS NOT NULL AND (at, id) IN (SELECT at, id FROM chosen)
      RETURNING account, id, number, account_number
    ), moved AS (
      INSERT INTO ${feedBegins} AS feed_begins (account, number, event)
      SELECT DISTINCT ON (account) account, number, id FROM (
        SELECT '' AS account, number, id FROM dropped
        UNION ALL SELECT account, account_number, id FROM dropped WHERE account IS NOT NULL
      ) AS places ORDER BY account, number DESC
      ON CONFLICT (account) DO UPDATE SET number = excluded.number, event = excluded.event
      WHERE feed_begins.number < excluded.number
    )
    SELECT 1 FROM dropped`);
}

type FeedRow = StoredRow<HistoryEvent> & {
  readonly feed: FeedId;
  readonly beginNumber: number | null;
  readonly beginEvent: EventId | null;
  readonly lastNumber: number | null;
  readonly lastEvent: EventId | null;
  readonly there: EventId | null;
  /** Null in the one row of a page without events. */
  readonly number: number | null;
  /** Whether committed events wait for their numbers. */
  readonly isBehind: boolean;
};

/** Reads feeds, each part and the state of its feed in one statement, so that they are of one instant. */
export function readingFeed(
  connection: PostgresConnection,
  tables: Tables,
): (query: FeedQuery) => Promise<FeedPart> {
  const numberEvents = numberingOf(connection, tables);
  const read = ({ account, pin, after, limit }: FeedQuery): Promise<readonly FeedRow[]> =>
    connection.read<FeedRow>(reading(tables, account === undefined, pin !== undefined), [
      account ?? '',
      after,
      limit,
      ...(pin === undefined ? [] : [pin]),
    ]);
  return async (query) => {
    const rows = await read(query);
    if (rows[0]?.isBehind !== true) return partOf(rows, query);
    await numberEvents();
    return partOf(await read(query), query);
  };
}

/** Its plan depends on the values: one for any limit could read the whole table. */
function reading(
  { events, feed, feedBegins, importMark }: Tables,
  ofAll: boolean,
  ofPin: boolean,
): Statement {
  const number = ofAll ? 'number' : 'account_number';
  const own = ofAll ? 'true' : 'account = $1';
  // A role has few events: the sum and the comparison keep the server from choosing an index of the feeds.
  const [mine, place] = ofPin
    ? [`pin = $4 AND ${ofAll ? 'true' : 'account IS NOT DISTINCT FROM $1'}`, `${number} + 0`]
    : [own, number];
  return unprepared(`
    SELECT feed.id AS feed, begin.number AS "beginNumber", begin.event AS "beginEvent",
      newest.number AS "lastNumber", newest.id AS "lastEvent", there.id AS there, page.*,
      EXISTS (SELECT 1 FROM ${events} WHERE number IS NULL)
        AND NOT EXISTS (SELECT 1 FROM ${importMark}) AS "isBehind"
    FROM ${feed} AS feed
    LEFT JOIN ${feedBegins} AS begin ON begin.account = $1
    LEFT JOIN LATERAL (
      SELECT ${number} AS number, id FROM ${events} WHERE ${own} AND ${number} IS NOT NULL
      ORDER BY ${number} DESC LIMIT 1
    ) AS newest ON true
    LEFT JOIN LATERAL (SELECT id FROM ${events} WHERE ${own} AND ${number} = $2) AS there ON true
    LEFT JOIN LATERAL (
      SELECT ${number} AS number, ${EVENTS.select} FROM ${events}
      WHERE ${mine} AND ${place} > greatest($2, begin.number) ORDER BY ${place} LIMIT $3
    ) AS page ON true
    ORDER BY page.number`);
}

function partOf(rows: readonly FeedRow[], { after }: FeedQuery): FeedPart {
  const [state] = rows;
  if (state === undefined) throw new Error('the feed has no id');
  const begin = { number: state.beginNumber ?? 0, event: state.beginEvent };
  const { lastNumber, lastEvent } = state;
  const isEmpty = lastNumber === null || lastNumber <= begin.number;
  return {
    feed: state.feed,
    begin,
    last: isEmpty ? begin : { number: lastNumber, event: lastEvent },
    there: after > begin.number ? (state.there ?? undefined) : undefined,
    items: rows.flatMap((row) =>
      row.number === null ? [] : [{ number: row.number, event: EVENTS.read(row) }],
    ),
  };
}
