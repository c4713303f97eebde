import type { ComposedService, ComposeOptions } from '../compose/compose.ts';
import { readSettings, type Settings } from '../settings/settings.ts';
import type { Terminal } from './terminal.ts';

/** Opens the service of this machine's settings, and closes it after the task. */
export async function withComposition<Result>(
  { env, err }: Terminal,
  task: (composition: ComposedService, settings: Settings) => Promise<Result>,
  options: ComposeOptions = {},
): Promise<Result> {
  const settings = readSettings(env);
  for (const note of settings.notes) err(`pinfold: ${note}`);
  const { compose } = await import('../compose/compose.ts');
  const composition = await compose(settings, { purpose: 'command', ...options });
  try {
    return await task(composition, settings);
  } finally {
    await composition.close();
  }
}
