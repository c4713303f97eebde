import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { readNumber, readPath } from '../command-line/arguments.ts';
import { type Command, command, flagOption, valueOption } from '../command-line/command.ts';
import { CommandFailure, explainSystemErrors, UsageError } from '../command-line/failures.ts';
import { pluralize } from '../command-line/print-list.ts';
import { formatJsonLine, type Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import type { ComposedService } from '../compose/compose.ts';
import { type VerifiedExport, type VerifiedStores, verifyExport, verifyStores } from '../moving/check.ts';
import { checkOverwrite, toFolder } from '../moving/folder.ts';
import { Generations, openExport } from '../moving/generations.ts';
import { printSummary, progressTo } from '../moving/progress.ts';
import { fromStores, toStores } from '../moving/stores.ts';
import { walkToTar } from '../moving/tar.ts';
import { type Finding, type Walk, walk } from '../moving/walk.ts';
import type { Environment } from '../settings/settings.ts';
import { SettingsError } from '../settings/settings-error.ts';

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

const verify = command({
  name: 'verify',
  arguments: ['[FOLDER|-]'],
  options: {
    sample: valueOption(
      'NUMBER',
      'read only this many archives, chosen at random; missing archives are always found',
    ),
  },
  help: 'compare the archives of the service with its records, or check an export, a folder or a tar (-), without a database',
  example: 'pinfold verify /backup/pinfold',
  guide: 'backups.md',
  run: async ([source], { json, ...values }, terminal) => {
    const sample = readNumber('sample', values.sample);
    if (source !== undefined) {
      const from = readPath(source, 'FOLDER');
      if (from === '-' && sample !== undefined)
        throw new UsageError('--sample is for a FOLDER: a tar is read whole');
      printVerified(await verifyExportIn(from, terminal, sample), json, terminal);
      return;
    }
    const found = await withComposition(
      terminal,
      ({ ports }) => verifyStores(ports, progressTo(terminal, 'verifying'), sample),
      { purpose: 'archives' },
    );
    if (json) terminal.out(formatJsonLine(found));
    else for (const line of formatReport(found)) terminal.out(line);
    const { missing, altered, removed, superfluous } = found;
    const wrong = missing.length + altered.length + removed.length + superfluous.length;
    const message = `missing, altered, removed or superfluous: ${pluralize(wrong, 'archive')}`;
    if (wrong > 0) throw new CommandFailure(message, { reported: true });
  },
});

export const commands: readonly Command[] = [exportAll, importAll, copy, verify];

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

/** Verifies an export by itself, without a database. */
function verifyExportIn(from: string, terminal: Terminal, sample?: number): Promise<VerifiedExport> {
  return explainSystemErrors(async () =>
    verifyExport(await openExport(from, terminal, sample), progressTo(terminal, 'verifying')),
  );
}

function printVerified(found: VerifiedExport, json: boolean, { out }: Terminal): void {
  const { records, named, read, superfluous } = found;
  if (json) out(formatJsonLine(found));
  else {
    for (const line of listProblems(found)) out(line);
    const archives = `${pluralize(named, 'archive')} of publications, ${read} of them read`;
    out(`${pluralize(records, 'record')}, ${archives}; ${superfluous} more have no publication`);
  }
  checkSound(found);
}

/** Throws with the number of problems, which the caller has printed. */
function checkSound(found: VerifiedExport): void {
  const wrong = listProblems(found).length;
  if (wrong === 0) return;
  throw new CommandFailure(`the export is not sound: ${pluralize(wrong, 'fault')}`, { reported: true });
}

function listProblems({ failures, missing, altered }: VerifiedExport): readonly string[] {
  return [...failures, ...formatFindings('missing', missing), ...formatFindings('altered', altered)];
}

function formatReport({
  named,
  read,
  missing,
  altered,
  removed,
  superfluous,
  young,
}: VerifiedStores): readonly string[] {
  return [
    ...formatFindings('missing', missing),
    ...formatFindings('altered', altered),
    ...formatFindings('removed, though in service', removed),
    ...superfluous.map((id) => `superfluous: ${id}`),
    `${pluralize(named, 'archive')} of publications, of which ${read} were read; ${young} more are younger than a day and have no publication yet`,
  ];
}

function formatFindings(problem: string, archives: readonly Finding[]): readonly string[] {
  return archives.map(({ archive, pin }) => `${problem}: ${archive} of publication ${pin}`);
}
