import { Fault, isFault } from '../fault.ts';

/** One step of a schema. Steps only go forward, and a released one never changes. */
export interface Migration<Sql = string> {
  /** Each step adds 1. The first step creates the whole schema, and may have any version from 1. */
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

/** A migration of a database that holds the schema of an older release. */
export interface MigrationProgress {
  /** Whether it begins, under the lock that lets one process migrate, or has ended. */
  readonly kind: 'begun' | 'ended';
  /** The version of the schema before. */
  readonly from: number;
  /** The version of the schema after it. */
  readonly to: number;
  /** How many publications the database has. */
  readonly publications: number;
}

/** Hears of a migration, for a log. It must not throw. */
export type OnMigration = (progress: MigrationProgress) => void;

/** Which databases may be brought up to this release: `any` that it can read, or an `empty` one alone. */
export type MigrationScope = 'any' | 'empty';

/** The steps to take, in their order, and what to keep as the state after them. */
export interface MigrationPlan<Step> {
  readonly steps: readonly Step[];
  /** Absent: there is nothing to do. */
  readonly reached?: SchemaState;
  /** The versions of a database of an older release before and after the steps; absent for a new one. */
  readonly upgrade?: Pick<MigrationProgress, 'from' | 'to'>;
}

/**
 * Plans the way from the schema that is there to the newest one. Ask for it, and go it, in one transaction.
 *
 * @throws Fault `store_unavailable` when the schema needs a newer release than this one or is older than the first known
 * step, and with the scope `empty` when it is of any older release.
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
  scope: MigrationScope = 'any',
): MigrationPlan<Step> {
  refuseOutdated(state, known);
  const steps = known.filter(({ version }) => version > (state?.version ?? 0));
  const newest = steps.at(-1);
  if (newest === undefined) return { steps };
  if (scope === 'empty' && state !== undefined) throw new Fault('store_unavailable', OLDER);
  if (state !== undefined && state.version > 0 && state.version < (known[0]?.version ?? 0)) {
    throw new Fault('store_unavailable', TOO_OLD);
  }
  const oldest = known.find(({ version }) => version === newest.oldestVersion) ?? newest;
  const reached = { version: newest.version, oldestVersion: oldest.version, oldestRelease: oldest.release };
  if (state === undefined || state.version === 0) return { steps, reached };
  return { steps, reached, upgrade: { from: state.version, to: newest.version } };
}

const OLDER =
  'the database has the schema of an older release: stop every node of it, then run "pinfold migrate", or start this release with "pinfold serve"';

const TOO_OLD =
  'the database has a schema that this release no longer migrates: see UPGRADING.md for how to upgrade it';

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
  throw Object.defineProperty(new Fault('store_unavailable', message), OUTDATED, { value: true });
}

/** Why this release cannot work with a schema: only newer releases can. `undefined` if it can. */
export function neededRelease(
  state: SchemaState | undefined,
  known: readonly Migration<unknown>[],
): string | undefined {
  if (state === undefined) return undefined;
  if (state.oldestVersion <= (known.at(-1)?.version ?? 0)) return undefined;
  return `the database needs release ${state.oldestRelease} or a newer one`;
}
