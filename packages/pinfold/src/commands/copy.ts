import { randomBytes } from 'node:crypto';
import { type Command, command } from '../command-line/command.ts';
import { UsageError } from '../command-line/failures.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { moveFromStores } from '../moving/from-stores.ts';
import { printSummary } from '../moving/print-summary.ts';
import { Progress } from '../moving/progress.ts';
import { ToStores } from '../moving/to-stores.ts';
import type { Environment } from '../settings/settings.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { IMPORTING } from './import.ts';

interface Target {
  readonly 'to-database'?: string | undefined;
  readonly 'to-storage'?: string | undefined;
  readonly 'to-data-dir'?: string | undefined;
}

const copy = command({
  name: 'copy',
  options: {
    'to-database': {
      type: 'string',
      value: 'URL',
      help: 'as PINFOLD_DATABASE_URL (default: SQLite in the folder of --to-data-dir)',
    },
    'to-storage': {
      type: 'string',
      value: 'URL',
      help: 'as PINFOLD_STORAGE_URL (default: files in the folder of --to-data-dir)',
    },
    'to-data-dir': {
      type: 'string',
      value: 'FOLDER',
      help: 'as PINFOLD_DATA_DIR; required unless both other options are given',
    },
  },
  help: 'export and import in one step, into another database and storage',
  example:
    'pinfold copy --to-database postgres://db.internal/pinfold --to-storage s3://share-archives/pinfold',
  guide: 'backups.md',
  run: async (_, { json, ...values }, terminal) => {
    const target = { ...terminal, env: environmentOf(values, terminal.env) };
    const moved = await withComposition(terminal, ({ ports: source }) =>
      withComposition(
        target,
        ({ ports }) => moveFromStores(source, new ToStores(ports), new Progress('copying', terminal)),
        IMPORTING,
      ).catch((error: unknown) => {
        throw asOption(error, values);
      }),
    );
    printSummary('copied', moved, json, terminal);
  },
});

export const commands: readonly Command[] = [copy];

const OPTION_FOR: Readonly<Record<string, keyof Target>> = {
  PINFOLD_DATABASE_URL: 'to-database',
  PINFOLD_STORAGE_URL: 'to-storage',
  PINFOLD_DATA_DIR: 'to-data-dir',
};

/** Names the option instead of the variable, which has the source's value. */
function asOption(error: unknown, target: Target): unknown {
  if (!(error instanceof SettingsError)) return error;
  const option = OPTION_FOR[error.variable];
  if (option === undefined || target[option] === undefined) return error;
  const expectation = error.message.slice(error.variable.length + 1);
  return new SettingsError(`--${option}`, expectation, { cause: error.cause });
}

/** The settings of the target. It gets a secret for this process only. */
function environmentOf(target: Target, env: Environment): Environment {
  const empty = Object.entries(target).find(([, value]) => value === '');
  if (empty !== undefined) throw new UsageError(`--${empty[0]} is empty`);
  const { 'to-database': database, 'to-storage': storage, 'to-data-dir': dataDir } = target;
  if (dataDir === undefined && (database === undefined || storage === undefined)) {
    throw new UsageError('--to-data-dir is required, or both --to-database and --to-storage');
  }
  return {
    ...env,
    PINFOLD_DATABASE_URL: database,
    PINFOLD_STORAGE_URL: storage,
    PINFOLD_DATA_DIR: dataDir ?? env.PINFOLD_DATA_DIR,
    PINFOLD_SECRET: randomBytes(32).toString('base64url'),
  };
}
