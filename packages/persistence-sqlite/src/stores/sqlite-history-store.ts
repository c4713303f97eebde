import type {
  EventCursor,
  EventQuery,
  EventThinning,
  ExpiredRole,
  HistoryEvent,
  HistoryStore,
  RoleId,
} from '@pinfold/core';
import { eventPageOf } from '@pinfold/core/adapter';
import { NEWEST } from '@pinfold/core/internal';
import type { Statements } from '../engine/sqlite-connection.ts';
import { type Prepare, recordsOf } from '../engine/sqlite-file.ts';
import { EVENTS } from '../schema/columns.ts';
import { keep } from './events.ts';
import { beginAfter, type DroppedEvent, RETURNING_PLACES, readFeed } from './feed.ts';

const UNTOLD = 'expiry_told = 0 AND (deleted_at IS NULL OR deleted_at >= expires_at)';
const EXPIRED = `
  SELECT id AS role, account, expires_at AS expiresAt FROM roles
  WHERE ${UNTOLD} AND expires_at <= ? ORDER BY expires_at LIMIT ?`;
const TELL = `
  UPDATE roles SET expiry_told = 1, version = version + 1, last_event_at = max(last_event_at, expires_at)
  WHERE ${UNTOLD} AND id = ? AND expires_at = ?`;
const DROP = `
  DELETE FROM events WHERE (at, id) IN (SELECT at, id FROM events WHERE recorded_at < ? ORDER BY recorded_at LIMIT ?)
  ${RETURNING_PLACES}`;
const RECENT = `
  SELECT DISTINCT pin AS role FROM events WHERE recorded_at >= ? AND recorded_at < ? AND pin IS NOT NULL`;
const NEWEST_EXTRA = 'SELECT at, id FROM events WHERE pin = ? ORDER BY at DESC, id DESC LIMIT 1 OFFSET ?';
const THIN = `
  DELETE FROM events WHERE (at, id) IN (
    SELECT at, id FROM events WHERE pin = @role AND (at, id) <= (@at, @id) AND recorded_at < @until LIMIT @limit
  )
  ${RETURNING_PLACES}`;

export function sqliteHistoryStore(connection: Statements): HistoryStore {
  return {
    list: (query) =>
      connection.read((prepare) => {
        const { at, id } = query.after ?? NEWEST;
        const values = { ...query, at, id, limit: query.limit + 1 };
        return eventPageOf(recordsOf(prepare, EVENTS, listOf(query), values), query.limit);
      }),
    expired: (by, limit) => connection.read((prepare) => prepare<ExpiredRole>(EXPIRED).all(by, limit)),
    tellExpired: async (events) => {
      await connection.writeFromReserve((prepare) => {
        for (const event of events) tell(prepare, event);
      });
    },
    feed: (query) => connection.snapshot((prepare) => readFeed(prepare, query)),
    drop: (before, limit) =>
      connection.writeFromReserve((prepare) =>
        beginAfter(prepare, prepare<DroppedEvent>(DROP).all(before, limit)),
      ),
    thin: (thinning) => connection.writeFromReserve((prepare) => thin(prepare, thinning)),
  };
}

/** By the index of the narrowest filter: a plus keeps the other from choosing one. */
function listOf({ account, pin, since }: EventQuery): string {
  const filters = [
    ...(pin === undefined ? [] : ['pin = @pin']),
    ...(account === undefined ? [] : [pin === undefined ? 'account = @account' : '+account = @account']),
    ...(since === undefined ? [] : ['at >= @since']),
    '(at, id) < (@at, @id)',
  ];
  return `
    SELECT ${EVENTS.select} FROM events WHERE ${filters.join(' AND ')} ORDER BY at DESC, id DESC LIMIT @limit`;
}

function tell(prepare: Prepare, event: HistoryEvent): void {
  if (prepare(TELL).run(event.pin, event.at).changes === 1) keep(prepare, [event]);
}

function thin(prepare: Prepare, { since, until, keep, limit }: EventThinning): number {
  let left = limit;
  for (const { role } of prepare<{ role: RoleId }>(RECENT).all(since, until)) {
    const extra = prepare<EventCursor>(NEWEST_EXTRA).get(role, keep);
    if (extra === undefined) continue;
    left -= beginAfter(prepare, prepare<DroppedEvent>(THIN).all({ role, ...extra, until, limit: left }));
    if (left === 0) break;
  }
  return limit - left;
}
