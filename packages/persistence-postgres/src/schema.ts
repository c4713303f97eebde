import { first } from './migrations/0001-first.ts';
import { tries } from './migrations/0002-tries.ts';
import { comparison } from './migrations/0003-comparison.ts';
import type { Tables } from './tables.ts';

/** One step of the schema. Steps only go forward, and are never changed once released. */
export interface Migration {
  readonly version: number;
  /** The release that brings it. */
  readonly release: string;
  /** The oldest version of the schema whose releases go on working with it. */
  readonly oldestVersion: number;
  readonly sql: (tables: Tables) => string;
}

/** The row that says what the schema is, so that releases newer and older than it know whether they may run. */
export interface SchemaState {
  readonly version: number;
  readonly oldestVersion: number;
  readonly oldestRelease: string;
}

/** All steps, in order of version, from 1 without a gap. */
export const MIGRATIONS: readonly Migration[] = [first, tries, comparison];
