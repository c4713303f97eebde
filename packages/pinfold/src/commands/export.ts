import { resolve } from 'node:path';
import { tokens } from '@pinfold/inversify';
import { readArguments, readPlace } from '../command-line/arguments.ts';
import { saidByTheSystem } from '../command-line/errno-error.ts';
import { UsageError } from '../command-line/failures.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import type { Composition } from '../compose/composition.ts';
import type { Destination } from '../moving/export-form.ts';
import { type ExportedStores, type Moved, moveFromStores } from '../moving/from-stores.ts';
import { refuseAnother } from '../moving/overwrite-guard.ts';
import { tellMoved } from '../moving/print-summary.ts';
import { Progress } from '../moving/progress.ts';
import { ToFolder } from '../moving/to-folder.ts';

/** `pinfold export FOLDER|-` */
export async function exportAll(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readArguments(args, ['FOLDER'], {});
  const target = readPlace(positionals[0], 'FOLDER');
  const json = values.json ?? false;
  if (target === '-') {
    if (json) throw new UsageError('--json has no place on standard output beside a tar');
    tellMoved('exported', await saidByTheSystem(() => toPipe(terminal)), false, terminal);
  } else {
    tellMoved('exported', await saidByTheSystem(() => toFolder(resolve(target), terminal)), json, terminal);
  }
}

function toFolder(folder: string, terminal: Terminal): Promise<Moved> {
  return exportTo(new ToFolder(folder), terminal, ({ roles }) => refuseAnother(folder, roles));
}

async function toPipe(terminal: Terminal): Promise<Moved> {
  if (terminal.pipe === undefined)
    throw new UsageError('a tar is nothing for a terminal: give it to a pipe or a file');
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
  return withComposition(terminal, async ({ container }) => {
    const stores = await exportedStores(container);
    await look?.(stores);
    return moveFromStores(stores, destination, new Progress('exporting', terminal));
  });
}

/** What an export is made of, of a service that is put together. */
export async function exportedStores(container: Composition['container']): Promise<ExportedStores> {
  return {
    snapshot: await container.getAsync(tokens.snapshot),
    roles: await container.getAsync(tokens.roles),
    archives: await container.getAsync(tokens.archives),
  };
}
