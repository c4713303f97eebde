import { randomBytes } from 'node:crypto';
import { readArguments } from '../command-line/arguments.ts';
import { UsageError } from '../command-line/failures.ts';
import { OPTIONS } from '../command-line/options.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { moveFromStores } from '../moving/from-stores.ts';
import { tellMoved } from '../moving/print-summary.ts';
import { Progress } from '../moving/progress.ts';
import type { Environment } from '../settings/settings.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { exportedStores } from './export.ts';
import { importing, TO_BE_FILLED } from './import.ts';

interface Target {
  readonly 'to-database'?: string | undefined;
  readonly 'to-storage'?: string | undefined;
  readonly 'to-data-dir'?: string | undefined;
}

/** `pinfold copy` */
export async function copy(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = readArguments(args, [], OPTIONS.copy);
  const target = { ...terminal, env: environmentOf(values, terminal.env) };
  const moved = await withComposition(terminal, ({ container: source }) =>
    withComposition(
      target,
      async ({ container }) =>
        moveFromStores(
          await exportedStores(source),
          await importing(container),
          new Progress('copying', terminal),
        ),
      TO_BE_FILLED,
    ).catch((error: unknown) => {
      throw asOption(error, values);
    }),
  );
  tellMoved('copied', moved, values.json ?? false, terminal);
}

const OPTION_FOR: Readonly<Record<string, keyof Target>> = {
  PINFOLD_DATABASE_URL: 'to-database',
  PINFOLD_STORAGE_URL: 'to-storage',
  PINFOLD_DATA_DIR: 'to-data-dir',
};

/** What is wrong with the target is said of the option that named it: the variable is that of the source. */
function asOption(error: unknown, target: Target): unknown {
  if (!(error instanceof SettingsError)) return error;
  const option = OPTION_FOR[error.variable];
  if (option === undefined || target[option] === undefined) return error;
  const expectation = error.message.slice(error.variable.length + 1);
  return new SettingsError(`--${option}`, expectation, { cause: error.cause });
}

/** The settings of the other service; its secret is not needed here, and never kept. */
function environmentOf(target: Target, env: Environment): Environment {
  const empty = Object.entries(target).find(([, value]) => value === '');
  if (empty !== undefined) throw new UsageError(`--${empty[0]} takes a value`);
  const { 'to-database': database, 'to-storage': storage, 'to-data-dir': dataDir } = target;
  if (dataDir === undefined && (database === undefined || storage === undefined)) {
    throw new UsageError('copy needs --to-data-dir, or both --to-database and --to-storage');
  }
  return {
    ...env,
    PINFOLD_DATABASE_URL: database,
    PINFOLD_STORAGE_URL: storage,
    PINFOLD_DATA_DIR: dataDir ?? env.PINFOLD_DATA_DIR,
    PINFOLD_SECRET: randomBytes(32).toString('base64url'),
  };
}
