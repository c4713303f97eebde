import { type Command, command } from '../command-line/command.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { readSettings, type Settings } from '../settings/settings.ts';
import { SettingsError } from '../settings/settings-error.ts';

const serve = command({
  name: 'serve',
  json: false,
  help: 'run the server until SIGTERM; its settings are environment variables',
  example: 'PINFOLD_PORT=9000 pinfold serve',
  guide: 'running.md',
  run: async (_, __, { env, err }) => {
    let settings: Settings;
    try {
      settings = readSettings(env);
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      err(`pinfold: ${error.message}`);
      return 2;
    }
    const [{ createRunnableApp }, { runUntilStopped }] = await Promise.all([
      import('../compose/create-app.ts'),
      import('../start/run-until-stopped.ts'),
    ]);
    return runUntilStopped(async () => createRunnableApp(settings));
  },
});

const migrate = command({
  name: 'migrate',
  help: 'migrate the database to this release, as every command that opens it does',
  example: 'pinfold migrate',
  guide: 'upgrades.md',
  run: async (_, __, terminal) => {
    await withComposition(terminal, async () => undefined);
    return { json: { migrated: true }, text: 'The database is up to date.' };
  },
});

export const commands: readonly Command[] = [serve, migrate];
