import { setImmediate } from 'node:timers/promises';
import {
  type Attempt,
  type AttemptCounter,
  type AttemptOutcome,
  type AttemptTicket,
  after,
  type Instant,
} from '@pinfold/core';
import type { Statements } from './sqlite-connection.ts';
import type { Prepare } from './sqlite-file.ts';

interface Window {
  readonly id: number;
  readonly endsAt: Instant;
  readonly tries: number;
}

const WINDOW = `
  SELECT id, ends_at AS endsAt, tries FROM attempt_windows WHERE role = ? AND counted = ?`;
const CLOSE = 'DELETE FROM attempt_windows WHERE id = ?';
const OPEN = 'INSERT INTO attempt_windows (role, counted, ends_at, tries) VALUES (?, ?, ?, 1) RETURNING id';
const COUNT = 'UPDATE attempt_windows SET tries = tries + 1 WHERE id = ?';
const ADMIT = 'INSERT INTO attempts (address_window, role_window) VALUES (?, ?) RETURNING id';
const FORGET = `
  DELETE FROM attempts WHERE id = ? RETURNING address_window AS addressWindow, role_window AS roleWindow`;
const TAKE_BACK = 'UPDATE attempt_windows SET tries = tries - 1 WHERE id IN (?, ?)';
const CLOSE_EMPTY = 'DELETE FROM attempt_windows WHERE id IN (?, ?) AND tries = 0';
const COUNT_ENDED = 'SELECT count(*) AS ended FROM attempt_windows WHERE ends_at <= ?';
const PURGE = `
  DELETE FROM attempt_windows WHERE id IN (
    SELECT id FROM attempt_windows WHERE ends_at <= ? ORDER BY ends_at LIMIT ?
  )`;

/** The count of all addresses together; no address is counted under the empty text. */
const ALL = '';

/**
 * Counts tries of passwords in a SQLite file, which all processes share. A window that was closed and opened again is
 * another row, so that a ticket of the old one takes nothing from the new one. A power cut, which ends every guess, may
 * take the newest counts with it.
 */
export class SqliteAttemptCounter implements AttemptCounter {
  readonly #connection: Statements;

  constructor(connection: Statements) {
    this.#connection = connection;
  }

  begin(attempt: Attempt): Promise<AttemptOutcome> {
    return this.#connection.note((prepare) => {
      const { role, address, now, perAddress, perRole } = attempt;
      const ofAddress = openWindow(prepare, role, `from ${address}`, now);
      const ofRole = openWindow(prepare, role, ALL, now);
      const full = [fullUntil(ofAddress, perAddress), fullUntil(ofRole, perRole)].filter(
        (until) => until !== undefined,
      );
      if (full.length > 0) return { kind: 'limited', until: Math.max(...full) as Instant };
      const addressWindow = count(prepare, attempt, `from ${address}`, ofAddress);
      const roleWindow = count(prepare, attempt, ALL, ofRole);
      const ticket = prepare<{ id: number }>(ADMIT).get(addressWindow, roleWindow);
      return { kind: 'admitted', ticket: String(ticket?.id) as AttemptTicket };
    });
  }

  forgive(ticket: AttemptTicket): Promise<void> {
    return this.#connection.note((prepare) => {
      const attempt = prepare<{ addressWindow: number; roleWindow: number }>(FORGET).get(Number(ticket));
      if (attempt === undefined) return;
      prepare(TAKE_BACK).run(attempt.addressWindow, attempt.roleWindow);
      prepare(CLOSE_EMPTY).run(attempt.addressWindow, attempt.roleWindow);
    });
  }

  async purge(endedBy: Instant, limit: number): Promise<number> {
    // A sweep asks for batch after batch: others get their turn in between.
    await setImmediate();
    return this.#connection.reclaim((prepare) => prepare(PURGE).run(endedBy, limit).changes);
  }

  countEnded(endedBy: Instant): Promise<number> {
    return this.#connection.read(
      (prepare) => prepare<{ ended: number }>(COUNT_ENDED).get(endedBy)?.ended ?? 0,
    );
  }
}

/** The window that counts now; one that ended is done away with. */
function openWindow(prepare: Prepare, role: string, counted: string, now: Instant): Window | undefined {
  const window = prepare<Window>(WINDOW).get(role, counted);
  if (window === undefined || window.endsAt > now) return window;
  prepare(CLOSE).run(window.id);
  return undefined;
}

function fullUntil(window: Window | undefined, limit: number): Instant | undefined {
  return window !== undefined && window.tries >= limit ? window.endsAt : undefined;
}

function count(prepare: Prepare, attempt: Attempt, counted: string, window: Window | undefined): number {
  if (window !== undefined) {
    prepare(COUNT).run(window.id);
    return window.id;
  }
  const opened = prepare<{ id: number }>(OPEN).get(attempt.role, counted, after(attempt.now, attempt.window));
  return (opened as { id: number }).id;
}
