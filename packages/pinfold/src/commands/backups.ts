import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { readNumber, readPath } from '../command-line/arguments.ts';
import { type Command, command, flagOption, valueOption } from '../command-line/command.ts';
import { explainSystemErrors, UsageError } from '../command-line/failures.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import type { ComposedService } from '../compose/compose.ts';
import { checkOverwrite, toFolder } from '../moving/folder.ts';
import { Generations, openExport } from '../moving/generations.ts';
import { printSummary, progressTo } from '../moving/progress.ts';
import { fromStores, toStores } from '../moving/stores.ts';
import { walkToTar } from '../moving/tar.ts';
import { type Walk, walk } from '../moving/walk.ts';
import type { Environment } from '../settings/settings.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { checkSound, listProblems, verifyExportIn } from './verify.ts';

const exportAll = command({
  name: 'export',
  arguments: ['FOLDER|-'],
  options: {
    scheduled: flagOption('mark as scheduled: metrics show when the last one completed'),
    generations: valueOption(
      'NUMBER',
      'write each export to a folder of its own in FOLDER, and keep this many (at least 2)',
    ),
    verify: valueOption(
      'NUMBER',
      'then read this many archives of the export, chosen at random, and compare them',
    ),
  },
  help: 'write all records and archives to a folder, or as a tar to standard output',
  example: 'pinfold export /backup/pinfold',
  guide: 'backups.md',
  run: async ([text], { json, scheduled: isScheduled = false, ...values }, terminal) => {
    const target = readPath(text, 'FOLDER');
    const generations = readNumber('generations', values.generations, 2);
    const sampleSize = readNumber('verify', values.verify);
    const { pipe } = terminal;
    if (target === '-') {
      if (json) throw new UsageError('--json cannot share standard output with a tar');
      if (generations !== undefined || sampleSize !== undefined)
        throw new UsageError('--generations and --verify are for a FOLDER');
      if (pipe === undefined)
        throw new UsageError(
          'a tar cannot be shown on a terminal: redirect standard output to a pipe or a file',
        );
    }
    const exporting = async ({ ports }: ComposedService): Promise<Walk> => {
      const exported =
        target === '-' && pipe !== undefined
          ? await walkToTar(fromStores(ports), pipe, progressTo(terminal, 'exporting'))
          : await exportToFolder(ports, resolve(target), { generations, sampleSize }, terminal);
      if (isScheduled) await ports.snapshot.recordScheduledExport(ports.clock.now());
      return exported;
    };
    const moved = await explainSystemErrors(() =>
      withComposition(terminal, exporting, { purpose: 'archives' }),
    );
    printSummary('exported', moved, json, terminal);
  },
});

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
      ({ ports }) =>
        explainSystemErrors(async () =>
          walk(await openExport(from, terminal), toStores(ports), progressTo(terminal, 'importing')),
        ),
      { purpose: 'import' },
    );
    printSummary('imported', moved, json, terminal);
  },
});

type TargetOption = 'to-database' | 'to-storage' | 'to-data-dir';
type TargetOptions = Readonly<Partial<Record<TargetOption, string | undefined>>>;

const copy = command({
  name: 'copy',
  options: {
    'to-database': valueOption(
      'URL',
      'as PINFOLD_DATABASE_URL (default: SQLite in the folder of --to-data-dir)',
    ),
    'to-storage': valueOption(
      'URL',
      'as PINFOLD_STORAGE_URL (default: files in the folder of --to-data-dir)',
    ),
    'to-data-dir': valueOption('FOLDER', 'as PINFOLD_DATA_DIR; required unless both other options are given'),
  },
  help: 'export and import in one step, into another database and storage',
  example:
    'pinfold copy --to-database postgres://db.internal/pinfold --to-storage s3://share-archives/pinfold',
  guide: 'backups.md',
  run: async (_, { json, ...values }, terminal) => {
    const target = { ...terminal, env: targetEnvironment(values, terminal.env) };
    const moved = await withComposition(
      terminal,
      ({ ports: source }) =>
        withComposition(
          target,
          ({ ports }) => walk(fromStores(source), toStores(ports), progressTo(terminal, 'copying')),
          { purpose: 'import' },
        ).catch((error: unknown) => {
          throw nameOption(error, values);
        }),
      { purpose: 'archives' },
    );
    printSummary('copied', moved, json, terminal);
  },
});

export const commands: readonly Command[] = [exportAll, importAll, copy];

async function exportToFolder(
  ports: ComposedService['ports'],
  folder: string,
  { generations: count, sampleSize }: Readonly<Record<'generations' | 'sampleSize', number | undefined>>,
  terminal: Terminal,
): Promise<Walk> {
  const generations = count === undefined ? undefined : new Generations(folder);
  const last = generations === undefined ? folder : await generations.newest();
  // An export of another database must not replace this one, nor join its generations.
  if (last !== undefined) await checkOverwrite(last, ports.roles);
  const to = generations === undefined ? toFolder(folder) : await generations.begin();
  const moved = await walk(fromStores(ports), to, progressTo(terminal, 'exporting'));
  await generations?.finish();
  if (sampleSize !== undefined) {
    const found = await verifyExportIn(folder, terminal, sampleSize);
    for (const line of listProblems(found)) terminal.err(line);
    checkSound(found);
  }
  // Last, so that earlier exports stay until this one is verified.
  if (count !== undefined) await generations?.removeOld(count);
  return moved;
}

const OPTION_FOR: Readonly<Record<string, TargetOption>> = {
  database: 'to-database',
  storage: 'to-storage',
  dataDir: 'to-data-dir',
};

/** Names the option of `copy` instead of the environment variable, which holds the value of the source. */
function nameOption(error: unknown, target: TargetOptions): unknown {
  if (!(error instanceof SettingsError)) return error;
  const option = OPTION_FOR[error.option];
  if (option === undefined || target[option] === undefined) return error;
  const { cause, expectation } = error;
  return new SettingsError(error.option, expectation, { cause, variable: `--${option}` });
}

/** The settings of the target. The secret is random: PostgreSQL requires one, but a copy signs nothing. */
function targetEnvironment(target: TargetOptions, env: Environment): Environment {
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
