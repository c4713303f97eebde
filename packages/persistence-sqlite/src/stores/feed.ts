import type { EventId, FeedId, FeedPart, FeedPlace, FeedQuery, HistoryEvent } from '@pinfold/core';
import type { StoredRow } from '@pinfold/core/adapter';
import type { Prepare } from '../engine/sqlite-file.ts';
import { EVENTS } from '../schema/columns.ts';

const BEGIN_AFTER = `
  INSERT INTO feed_begins (account, number, event) VALUES (?, ?, ?)
  ON CONFLICT (account) DO UPDATE SET number = excluded.number, event = excluded.event WHERE number < excluded.number`;
const BEGIN = 'SELECT number, event FROM feed_begins WHERE account = ?';
const FEED = 'SELECT id FROM feed';

/** The columns that a statement that deletes events returns. */
export const RETURNING_PLACES = 'RETURNING id, account, number, account_number AS accountNumber';

export interface DroppedEvent {
  readonly id: EventId;
  readonly account: string | null;
  readonly number: number;
  readonly accountNumber: number | null;
}

/** Lets the feeds begin after events that were dropped. Returns the number of these events. */
export function beginAfter(prepare: Prepare, dropped: readonly DroppedEvent[]): number {
  for (const { id, account, number, accountNumber } of dropped) {
    prepare(BEGIN_AFTER).run('', number, id);
    if (account !== null) prepare(BEGIN_AFTER).run(account, accountNumber, id);
  }
  return dropped.length;
}

/** Reads a part of a feed. All statements must see one state of the file. */
export function readFeed(prepare: Prepare, query: FeedQuery): FeedPart {
  const [number, own] =
    query.account === undefined ? ['number', '@account IS NULL'] : ['account_number', 'account = @account'];
  const values = { ...query, account: query.account ?? null };
  const place = (more: string): FeedPlace | undefined =>
    prepare<FeedPlace>(`SELECT ${number} AS number, id AS event FROM events WHERE ${own} ${more}`).get(
      values,
    );
  const begin = prepare<FeedPlace>(BEGIN).get(query.account ?? '') ?? { number: 0, event: null };
  const last = place(`ORDER BY ${number} DESC LIMIT 1`);
  // A role has few events: the pluses keep SQLite from choosing an index of the feeds.
  const filter =
    query.pin === undefined
      ? `${own} AND ${number} > @after ORDER BY ${number}`
      : `pin = @pin AND +${own} AND +${number} > @after ORDER BY +${number}`;
  const page = `SELECT ${EVENTS.select}, ${number} AS number FROM events WHERE ${filter} LIMIT @limit`;
  const rows = prepare<StoredRow<HistoryEvent> & { readonly number: number }>(page).all({
    ...values,
    after: Math.max(query.after, begin.number),
  });
  return {
    feed: prepare<{ readonly id: FeedId }>(FEED).get()?.id as FeedId,
    begin,
    last: last !== undefined && last.number > begin.number ? last : begin,
    there: query.after > begin.number ? (place(`AND ${number} = @after`)?.event ?? undefined) : undefined,
    items: rows.map((row) => ({ number: row.number, event: EVENTS.read(row) })),
  };
}
