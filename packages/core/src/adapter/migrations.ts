import { Fault, isFault } from '../fault.ts';
import type { DatabaseState } from '../records/database.ts';

/** A version of the schema. */
export interface SchemaVersion {
  /** 1 for the migration that creates the schema, then counts up. */
  readonly version: number;
  readonly release: string;
  /** The oldest version of the schema whose releases still work after this migration. */
  readonly oldestVersion: number;
}

/** One migration of the schema. Migrations only go forward, and a released one never changes. */
export interface Migration<Sql = string> extends SchemaVersion {
  readonly sql: Sql;
}

/** The versions of the schema of Pinfold's tables. */
export const SCHEMA_VERSIONS: readonly SchemaVersion[] = [
  { version: 1, release: '0.1.0', oldestVersion: 1 },
  { version: 2, release: '0.1.0', oldestVersion: 1 },
];

/** The schema of a database, as stored in it: by this, each release decides whether it can run. */
export interface SchemaState {
  readonly version: number;
  readonly oldestVersion: number;
  readonly oldestRelease: string;
}

/** The migrations to run, in order, and the state to store after them. */
export interface MigrationPlan<Step> {
  readonly steps: readonly Step[];
  /** Absent if there is nothing to do. */
  readonly reached?: SchemaState;
}

/**
 * Plans the steps from the present schema to the newest one. Read the state, plan and run the steps in one transaction.
 *
 * @throws Fault `store_unavailable` when the schema needs a newer release than this one.
 *
 * @example
 * import { type Migration, planMigrations } from '@pinfold/core/adapter';
 *
 * const first: Migration = { version: 1, release: '1.0.0', oldestVersion: 1, sql: 'CREATE TABLE roles (id TEXT)' };
 * const { steps, reached } = planMigrations(undefined, [first]);
 * for (const { sql } of steps) console.log(sql);
 * console.log(reached?.version); // 1
 */
export function planMigrations<Step extends Migration<unknown>>(
  state: SchemaState | undefined,
  known: readonly Step[],
): MigrationPlan<Step> {
  refuseOutdated(state, known);
  const steps = known.filter(({ version }) => version > (state?.version ?? 0));
  const newest = steps.at(-1);
  if (newest === undefined) return { steps };
  const oldest = known.find(({ version }) => version === newest.oldestVersion) ?? newest;
  const reached = { version: newest.version, oldestVersion: oldest.version, oldestRelease: oldest.release };
  return { steps, reached };
}

/** A global symbol, because several copies of this package may be installed. */
const OUTDATED: unique symbol = Symbol.for('@pinfold/core/outdated');

/** Whether an error says that the schema needs a newer release, so that retrying does not help. */
export function needsNewerRelease(error: unknown): boolean {
  return isFault(error) && OUTDATED in error;
}

/**
 * Refuses a release that is older than the schema allows.
 *
 * @throws Fault `store_unavailable` naming the release that is needed.
 */
export function refuseOutdated(state: SchemaState | undefined, known: readonly SchemaVersion[]): void {
  const message = neededRelease(state, known);
  if (message === undefined) return;
  const advice = 'run that one, or export with it and import into an empty database';
  throw Object.defineProperty(new Fault('store_unavailable', `${message}: ${advice}`), OUTDATED, {
    value: true,
  });
}

/** Diagnoses a schema: its version, the newest one, and why this release cannot work with it, if so. */
export function examineSchema(
  state: SchemaState | undefined,
  known: readonly SchemaVersion[],
): Pick<DatabaseState, 'version' | 'newest' | 'outdated'> {
  const outdated = neededRelease(state, known);
  return {
    newest: known.at(-1)?.version ?? 0,
    ...(state === undefined ? {} : { version: state.version }),
    ...(outdated === undefined ? {} : { outdated }),
  };
}

function neededRelease(state: SchemaState | undefined, known: readonly SchemaVersion[]): string | undefined {
  if (state === undefined) return undefined;
  if (state.oldestVersion <= (known.at(-1)?.version ?? 0)) return undefined;
  return `the database needs release ${state.oldestRelease} or a newer one`;
}
