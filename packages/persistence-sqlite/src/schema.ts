import { first } from './migrations/0001-first.ts';
import { sessions } from './migrations/0002-sessions.ts';
import { tries } from './migrations/0003-tries.ts';
import { comparison } from './migrations/0004-comparison.ts';

/** One step of the schema. Steps only go forward, and are never changed once released. */
export interface Migration {
  readonly version: number;
  /** The release that brings it. */
  readonly release: string;
  /** The oldest version of the schema whose releases go on working with it. */
  readonly oldestVersion: number;
  readonly sql: string;
}

/** The row that says what is in the file, so that releases newer and older than it know whether they may run. */
export interface SchemaState {
  readonly version: number;
  readonly oldestVersion: number;
  readonly oldestRelease: string;
}

/** All steps, in order of version, from 1 without a gap. */
export const MIGRATIONS: readonly Migration[] = [first, sessions, tries, comparison];

export const SCHEMA_STATE_TABLE = `
  CREATE TABLE IF NOT EXISTS schema_state (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    version INTEGER NOT NULL,
    oldest_version INTEGER NOT NULL,
    oldest_release TEXT NOT NULL
  ) STRICT`;
