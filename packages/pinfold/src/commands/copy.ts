import { randomBytes } from 'node:crypto';
import { readArguments } from '../command-line/arguments.ts';
import { UsageError } from '../command-line/failures.ts';
import { OPTIONS } from '../command-line/options.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { moveFromStores } from '../moving/from-stores.ts';
import { Progress } from '../moving/progress.ts';
import { tellMoved } from '../moving/tell-moved.ts';
import type { Environment } from '../settings/settings.ts';
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
    ),
  );
  tellMoved('copied', moved, values.json ?? false, terminal);
}

/** The settings of the other service; its secret is not needed here, and never kept. */
function environmentOf(target: Target, env: Environment): Environment {
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
