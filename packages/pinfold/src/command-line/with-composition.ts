import { type Composition, type CompositionOptions, openComposition } from '../compose/composition.ts';
import { readSettings, type Settings } from '../settings/settings.ts';
import type { Terminal } from './terminal.ts';

/**
 * Does something with the service as the settings put it together, and closes it. The schema of an older release is left
 * as it is, since servers of that release may still run: only the options of a command that migrates say otherwise.
 */
export async function withComposition<Result>(
  { env, err }: Terminal,
  task: (composition: Composition, settings: Settings) => Promise<Result>,
  options: CompositionOptions = {},
): Promise<Result> {
  const settings = readSettings(env);
  for (const note of settings.notes) err(`pinfold: ${note}`);
  const composition = await openComposition(settings, {
    missingDataFolder: 'refused',
    migrates: 'empty',
    ...options,
  });
  try {
    return await task(composition, settings);
  } finally {
    await composition.close();
  }
}
