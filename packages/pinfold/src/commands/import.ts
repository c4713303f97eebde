import { resolve } from 'node:path';
import { tokens } from '@pinfold/inversify';
import { readArguments, readPlace } from '../command-line/arguments.ts';
import { saidByTheSystem } from '../command-line/errno-error.ts';
import { UsageError } from '../command-line/failures.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import type { Composition } from '../compose/composition.ts';
import type { Destination } from '../moving/export-form.ts';
import { moveFromFolder } from '../moving/from-folder.ts';
import type { Moved } from '../moving/from-stores.ts';
import { tellMoved } from '../moving/print-summary.ts';
import { Progress } from '../moving/progress.ts';
import { ToStores } from '../moving/to-stores.ts';

/** A missing data folder is made, an older schema migrated, and an import that did not end goes on. */
export const TO_BE_FILLED = {
  missingDataFolder: 'made',
  migrates: 'any',
  unfinishedImport: 'taken',
} as const;

/** `pinfold import FOLDER|-` */
export async function importAll(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readArguments(args, ['FOLDER'], {});
  const from = readPlace(positionals[0], 'FOLDER');
  const moved = await withComposition(
    terminal,
    async ({ container }) => {
      const to = await importing(container);
      return saidByTheSystem(() => bring(from, to, terminal));
    },
    TO_BE_FILLED,
  );
  tellMoved('imported', moved, values.json ?? false, terminal);
}

async function bring(from: string, to: Destination, terminal: Terminal): Promise<Moved> {
  const progress = new Progress('importing', terminal);
  if (from !== '-') return moveFromFolder(resolve(from), to, progress);
  const { moveFromTar } = await import('../moving/from-tar.ts');
  if (terminal.stream === undefined) throw new UsageError('there is no standard input');
  return moveFromTar(terminal.stream(), to, progress);
}

/** Where an import goes, of a service that is put together. */
export async function importing(container: Composition['container']): Promise<ToStores> {
  return new ToStores({
    imports: await container.getAsync(tokens.imports),
    archives: await container.getAsync(tokens.archives),
    staging: await container.getAsync(tokens.staging),
  });
}
