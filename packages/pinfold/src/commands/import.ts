import { resolve } from 'node:path';
import { readPath } from '../command-line/arguments.ts';
import { type Command, command } from '../command-line/command.ts';
import { reportingSystemErrors } from '../command-line/errno-error.ts';
import { UsageError } from '../command-line/failures.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { stepsFromFolder } from '../moving/from-folder.ts';
import { type Destination, type Moved, move } from '../moving/move.ts';
import { printSummary } from '../moving/print-summary.ts';
import { Progress } from '../moving/progress.ts';
import { ToStores } from '../moving/to-stores.ts';

/** An import creates a missing data folder, migrates an older schema, and continues an import that did not end. */
export const IMPORTING = {
  missingDataFolder: 'made',
  migrates: 'any',
  unfinishedImport: 'taken',
} as const;

const importAll = command({
  name: 'import',
  arguments: ['FOLDER|-'],
  help: 'import an export into an empty database, from a folder or a tar on standard input',
  example: 'pinfold import /backup/pinfold',
  guide: 'backups.md',
  run: async ([text], { json }, terminal) => {
    const from = readPath(text, 'FOLDER');
    const moved = await withComposition(
      terminal,
      ({ ports }) => reportingSystemErrors(() => moveFrom(from, new ToStores(ports), terminal)),
      IMPORTING,
    );
    printSummary('imported', moved, json, terminal);
  },
});

export const commands: readonly Command[] = [importAll];

async function moveFrom(from: string, to: Destination, terminal: Terminal): Promise<Moved> {
  const progress = new Progress('importing', terminal);
  if (from !== '-') return move(stepsFromFolder(resolve(from), to), to, progress);
  const { stepsFromTar } = await import('../moving/from-tar.ts');
  if (terminal.stream === undefined) throw new UsageError('there is no standard input');
  return move(stepsFromTar(terminal.stream(), to), to, progress);
}
