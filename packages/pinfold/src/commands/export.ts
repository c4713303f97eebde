import { resolve } from 'node:path';
import { readPath } from '../command-line/arguments.ts';
import { type Command, command } from '../command-line/command.ts';
import { reportingSystemErrors } from '../command-line/errno-error.ts';
import { UsageError } from '../command-line/failures.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { type ExportedStores, moveFromStores } from '../moving/from-stores.ts';
import type { Destination, Moved } from '../moving/move.ts';
import { refuseToOverwrite } from '../moving/overwrite-guard.ts';
import { printSummary } from '../moving/print-summary.ts';
import { Progress } from '../moving/progress.ts';
import { ToFolder } from '../moving/to-folder.ts';

const exportAll = command({
  name: 'export',
  arguments: ['FOLDER|-'],
  help: 'write all records and archives to a folder, or as a tar to standard output',
  example: 'pinfold export /backup/pinfold',
  guide: 'backups.md',
  run: async ([text], { json }, terminal) => {
    const target = readPath(text, 'FOLDER');
    if (target === '-' && json) throw new UsageError('--json cannot share standard output with a tar');
    const moved = await reportingSystemErrors(() =>
      target === '-' ? toPipe(terminal) : toFolder(resolve(target), terminal),
    );
    printSummary('exported', moved, json, terminal);
  },
});

export const commands: readonly Command[] = [exportAll];

function toFolder(folder: string, terminal: Terminal): Promise<Moved> {
  return exportTo(new ToFolder(folder), terminal, ({ roles }) => refuseToOverwrite(folder, roles));
}

async function toPipe(terminal: Terminal): Promise<Moved> {
  if (terminal.pipe === undefined)
    throw new UsageError('a tar cannot be shown on a terminal: redirect standard output to a pipe or a file');
  const { ToTar } = await import('../moving/to-tar.ts');
  const tar = new ToTar();
  const written = terminal.pipe(tar.bytes);
  const exported = exportTo(tar, terminal).catch((error: unknown) => {
    tar.fail(error);
    throw error;
  });
  const [moved] = await Promise.all([exported, written]);
  return moved;
}

function exportTo(
  destination: Destination,
  terminal: Terminal,
  look?: (stores: ExportedStores) => Promise<void>,
): Promise<Moved> {
  return withComposition(terminal, async ({ ports }) => {
    await look?.(ports);
    return moveFromStores(ports, destination, new Progress('exporting', terminal));
  });
}
