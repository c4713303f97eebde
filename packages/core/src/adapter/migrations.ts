import { Fault, isFault } from '../fault.ts';
import type { DatabaseState } from '../records/database.ts';

/** One step of a schema. Steps only go forward, and a released one never changes. */
export interface Migration<Sql = string> {
  /** 1 for the step that creates the whole schema, and 1 more for each further one. */
  readonly version: number;
  readonly release: string;
  /** The oldest version of the schema whose releases still work with it. */
  readonly oldestVersion: number;
  readonly sql: Sql;
}

/** The schema of a database, from which newer and older releases know whether they may run. */
export interface SchemaState {
  readonly version: number;
  readonly oldestVersion: number;
  readonly oldestRelease: string;
}

/** The steps to run, in their order, and the state to store after them. */
export interface MigrationPlan<Step> {
  readonly steps: readonly Step[];
  /** Absent: there is nothing to do. */
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

/** Several copies of this package may be installed, as for a `Fault`. */
const OUTDATED: unique symbol = Symbol.for('@pinfold/core/outdated');

/** Whether a caught value says that the schema needs a newer release: waiting does not help then. */
export function isOutdated(error: unknown): boolean {
  return isFault(error) && OUTDATED in error;
}

/**
 * Refuses to run on a schema that only newer releases work with.
 *
 * @throws Fault `store_unavailable` naming the release that is needed.
 */
export function refuseOutdated(state: SchemaState | undefined, known: readonly Migration<unknown>[]): void {
  const message = neededRelease(state, known);
  if (message === undefined) return;
  const advice = 'run that one, or export with it and import into an empty database';
  throw Object.defineProperty(new Fault('store_unavailable', `${message}: ${advice}`), OUTDATED, {
    value: true,
  });
}

/** The diagnosis of a schema: its version, the newest one, and, if this release cannot work with it, why. */
export function examineSchema(
  state: SchemaState | undefined,
  known: readonly Migration<unknown>[],
): Pick<DatabaseState, 'version' | 'newest' | 'outdated'> {
  const outdated = neededRelease(state, known);
  return {
    newest: known.at(-1)?.version ?? 0,
    ...(state === undefined ? {} : { version: state.version }),
    ...(outdated === undefined ? {} : { outdated }),
  };
}

function neededRelease(
  state: SchemaState | undefined,
  known: readonly Migration<unknown>[],
): string | undefined {
  if (state === undefined) return undefined;
  if (state.oldestVersion <= (known.at(-1)?.version ?? 0)) return undefined;
  return `the database needs release ${state.oldestRelease} or a newer one`;
}
