import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import type Database from 'better-sqlite3';
import type { CommitWatch } from './commit-watch.ts';

const PIECE = 1_048_576;
/** How often it is tried at once: the connection would copy a log with holes into the file if it were closed. */
const TRIES = 3;

/**
 * Writes the log again, byte for byte, and flushes it, if SQLite has just recovered it. Call it after a connection's
 * first read and before anything of it is used; throws system errors.
 *
 * A recovery takes commits from the page cache that may not be on the disk: their process was killed before its flush, or
 * that flush failed, after which pages count as clean and later flushes leave them out. A power cut would lose all that
 * is committed after them. Pages that are written again are flushed again.
 */
export function flushRecoveredLog(
  database: Database.Database,
  file: string,
  watch: CommitWatch | undefined,
): void {
  if (watch?.hasCommits() === true) return;
  // Nobody else writes to the log, or begins it anew.
  database.exec('BEGIN IMMEDIATE');
  try {
    persistently(() => writeAgain(`${file}-wal`));
  } finally {
    database.exec('ROLLBACK');
  }
}

function persistently(work: () => void, tries = TRIES): void {
  try {
    work();
  } catch (error) {
    if (tries === 1) throw error;
    persistently(work, tries - 1);
  }
}

function writeAgain(log: string): void {
  const descriptor = openSync(log, 'r+');
  try {
    const piece = Buffer.allocUnsafe(PIECE);
    for (let at = 0; ; ) {
      const length = readSync(descriptor, piece, 0, PIECE, at);
      if (length === 0) break;
      at += writeSync(descriptor, piece, 0, length, at);
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
