import { type Migration, neededRelease, type SchemaState } from '@pinfold/core/adapter';
import type { DatabaseState } from '@pinfold/core/records';
import type { Prepare } from '../engine/sqlite-file.ts';
import { STATE } from './migrate.ts';

/** Examines an open database, of which it reads every page. */
export function databaseState(prepare: Prepare, migrations: readonly Migration[]): DatabaseState {
  const [version] = prepare<{ release: string }>('SELECT sqlite_version() AS release').all();
  const [check] = prepare<{ quick_check: string }>('PRAGMA quick_check(1)').all();
  const damage = check?.quick_check ?? 'ok';
  return {
    release: version?.release ?? '',
    newest: migrations.at(-1)?.version ?? 0,
    ...(damage === 'ok' ? {} : { damage }),
    ...schemaIn(prepare, migrations),
  };
}

function schemaIn(
  prepare: Prepare,
  migrations: readonly Migration[],
): Pick<DatabaseState, 'outdated' | 'version'> {
  const isThere = prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_state'").get();
  const state = isThere === undefined ? undefined : prepare<SchemaState>(STATE).get();
  if (state === undefined) return {};
  const outdated = neededRelease(state, migrations);
  return { version: state.version, ...(outdated === undefined ? {} : { outdated }) };
}
