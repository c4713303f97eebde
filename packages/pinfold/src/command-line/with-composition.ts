import type { MigrationProgress } from '@pinfold/core/adapter';
import type { ComposedService, ComposeOptions } from '../compose/compose.ts';
import { readSettings, type Settings } from '../settings/settings.ts';
import type { Terminal } from './terminal.ts';

/**
 * Opens the service of this machine's settings, and closes it after the task. It leaves the schema of an older release
 * as it is, since servers of that release may still run: a command that migrates sets the option.
 */
export async function withComposition<Result>(
  { env, err }: Terminal,
  task: (composition: ComposedService, settings: Settings) => Promise<Result>,
  options: ComposeOptions = {},
): Promise<Result> {
  const settings = readSettings(env);
  for (const note of settings.notes) err(`pinfold: ${note}`);
  const { compose } = await import('../compose/compose.ts');
  const onMigration = ({ kind, from, to, publications }: MigrationProgress): void => {
    const what = `version ${from} to ${to}, with ${publications} publications`;
    err(kind === 'begun' ? `pinfold: migrating the database from ${what}` : `pinfold: migrated from ${what}`);
  };
  const careful = { missingDataFolder: 'refused', migrates: 'empty', onMigration, ...options } as const;
  const composition = await compose(settings, careful);
  try {
    return await task(composition, settings);
  } finally {
    await composition.close();
  }
}
