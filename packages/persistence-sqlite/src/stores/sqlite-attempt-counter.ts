import { setImmediate } from 'node:timers/promises';
import {
  type Attempt,
  type AttemptCounter,
  type AttemptOutcome,
  type AttemptTicket,
  after,
  before,
  type Instant,
} from '@pinfold/core';
import {
  type AttemptRefusal,
  type AttemptTally,
  refuseAttempt,
  UNSETTLED_AT_MOST,
} from '@pinfold/core/adapter';
import type { Statements } from '../engine/sqlite-connection.ts';
import type { Prepare } from '../engine/sqlite-file.ts';

interface Window {
  readonly id: number;
  readonly endsAt: Instant;
  readonly tries: number;
  readonly underWay: number;
}

const WINDOW = (column: string): string => `
  SELECT id, ends_at AS endsAt, tries,
    (SELECT count(*) FROM attempts WHERE ${column} = known.id AND begun_at > ?) AS underWay
  FROM attempt_windows AS known WHERE role = ? AND counted = ?`;
const ADDRESS_WINDOW = WINDOW('address_window');
const ROLE_WINDOW = WINDOW('role_window');
const CLOSE = 'DELETE FROM attempt_windows WHERE role = ? AND counted = ?';
const OPEN = 'INSERT INTO attempt_windows (role, counted, ends_at, tries) VALUES (?, ?, ?, 1) RETURNING id';
const COUNT = 'UPDATE attempt_windows SET tries = tries + 1 WHERE id = ?';
const ADMIT = `
  INSERT INTO attempts (address_window, role_window, begun_at, ends_at) VALUES (?, ?, ?, ?) RETURNING id`;
const SETTLE = 'DELETE FROM attempts WHERE id = ?';
const FORGET = `
  DELETE FROM attempts WHERE id = ? RETURNING address_window AS addressWindow, role_window AS roleWindow`;
const TAKE_BACK = 'UPDATE attempt_windows SET tries = tries - 1 WHERE id IN (?, ?)';
const CLOSE_EMPTY = 'DELETE FROM attempt_windows WHERE id IN (?, ?) AND tries = 0';
const COUNT_ENDED = `
  SELECT (SELECT count(*) FROM attempt_windows WHERE ends_at <= @endedBy)
    + (SELECT count(*) FROM attempts WHERE ends_at <= @endedBy) AS ended`;
const PURGE = (table: string): string => `
  DELETE FROM ${table} WHERE id IN (
    SELECT id FROM ${table} WHERE ends_at <= ? ORDER BY ends_at LIMIT ?
  )`;
const PURGE_WINDOWS = PURGE('attempt_windows');
const PURGE_ATTEMPTS = PURGE('attempts');

/** The count of all addresses together; no address is counted under the empty text. */
const ALL = '';

/**
 * Counts tries of passwords in a SQLite file, which all processes share. A window that was closed and opened again is
 * another row, so that a ticket of the old one takes nothing from the new one.
 */
export function sqliteAttemptCounter(connection: Statements): AttemptCounter {
  return {
    begin: async (attempt) => {
      // A client that is limited or must wait takes no write lock.
      const seen = await connection.read((prepare) => refusalOf(look(prepare, attempt), attempt));
      return seen ?? (await connection.write((prepare) => count(prepare, attempt)));
    },
    settle: async (ticket) => {
      await connection.write((prepare) => prepare(SETTLE).run(Number(ticket)));
    },
    forgive: (ticket) =>
      connection.write((prepare) => {
        const attempt = prepare<{ addressWindow: number; roleWindow: number }>(FORGET).get(Number(ticket));
        if (attempt === undefined) return;
        prepare(TAKE_BACK).run(attempt.addressWindow, attempt.roleWindow);
        prepare(CLOSE_EMPTY).run(attempt.addressWindow, attempt.roleWindow);
      }),
    purge: async (endedBy, limit) => {
      // A sweep asks for batch after batch: others get their turn in between.
      await setImmediate();
      return connection.writeFromReserve((prepare) => {
        const windows = prepare(PURGE_WINDOWS).run(endedBy, limit).changes;
        return windows + prepare(PURGE_ATTEMPTS).run(endedBy, limit - windows).changes;
      });
    },
    countEnded: (endedBy) =>
      connection.read((prepare) => prepare<{ ended: number }>(COUNT_ENDED).get({ endedBy })?.ended ?? 0),
  };
}

interface Seen {
  readonly ofAddress: Window | undefined;
  readonly ofRole: Window | undefined;
}

function look(prepare: Prepare, { role, address, now }: Attempt): Seen {
  const begunAfter = before(now, UNSETTLED_AT_MOST);
  const find = (sql: string, counted: string): Window | undefined => {
    const window = prepare<Window>(sql).get(begunAfter, role, counted);
    return window !== undefined && window.endsAt > now ? window : undefined;
  };
  return { ofAddress: find(ADDRESS_WINDOW, `from ${address}`), ofRole: find(ROLE_WINDOW, ALL) };
}

function refusalOf(
  { ofAddress, ofRole }: Seen,
  { perAddress, perRole }: Attempt,
): AttemptRefusal | undefined {
  const tally = (window: Window | undefined, limit: number): readonly AttemptTally[] =>
    window === undefined ? [] : [{ ...window, limit }];
  return refuseAttempt([...tally(ofAddress, perAddress), ...tally(ofRole, perRole)]);
}

function count(prepare: Prepare, attempt: Attempt): AttemptOutcome {
  const seen = look(prepare, attempt);
  const refusal = refusalOf(seen, attempt);
  if (refusal !== undefined) return refusal;
  const ofAddress = countIn(prepare, attempt, `from ${attempt.address}`, seen.ofAddress);
  const ofRole = countIn(prepare, attempt, ALL, seen.ofRole);
  const endsAt = Math.max(ofAddress.endsAt, ofRole.endsAt);
  const ticket = prepare<{ id: number }>(ADMIT).get(ofAddress.id, ofRole.id, attempt.now, endsAt);
  return { kind: 'admitted', ticket: String(ticket?.id) as AttemptTicket };
}

/** Counts in the open window, or in a new one in the place of the one that ended. */
function countIn(
  prepare: Prepare,
  { role, now, window }: Attempt,
  counted: string,
  open: Window | undefined,
): Pick<Window, 'id' | 'endsAt'> {
  if (open !== undefined) {
    prepare(COUNT).run(open.id);
    return open;
  }
  prepare(CLOSE).run(role, counted);
  const endsAt = after(now, window);
  const opened = prepare<{ id: number }>(OPEN).get(role, counted, endsAt);
  return { id: (opened as { id: number }).id, endsAt };
}
