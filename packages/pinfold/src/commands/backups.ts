import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { readPath } from '../command-line/arguments.ts';
import { type Command, command, flag, text } from '../command-line/command.ts';
import { jsonLine } from '../command-line/escape-control-characters.ts';
import { CommandFailure, reportingSystemErrors, UsageError } from '../command-line/failures.ts';
import { pluralize } from '../command-line/pluralize.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { type Failed, stepsFromFolder } from '../moving/from-folder.ts';
import { type ExportedStores, moveFromStores } from '../moving/from-stores.ts';
import { type Destination, type Moved, move, type Step } from '../moving/move.ts';
import { refuseToOverwrite } from '../moving/overwrite-guard.ts';
import { Progress, printSummary } from '../moving/progress.ts';
import { ToFolder } from '../moving/to-folder.ts';
import { ToStores } from '../moving/to-stores.ts';
import { verifyExport } from '../moving/verify-export.ts';
import { type NamedArchive, type Verified, verifyStores } from '../moving/verify-stores.ts';
import type { Environment } from '../settings/settings.ts';
import { SettingsError } from '../settings/settings-error.ts';

const exportAll = command({
  name: 'export',
  arguments: ['FOLDER|-'],
  options: { scheduled: flag('the export of a schedule: metrics tell when the last one was complete') },
  help: 'write all records and archives to a folder, or as a tar to standard output',
  example: 'pinfold export /backup/pinfold',
  guide: 'backups.md',
  run: async ([text], { json, scheduled = false }, terminal) => {
    const target = readPath(text, 'FOLDER');
    if (target === '-' && json) throw new UsageError('--json cannot share standard output with a tar');
    const moved = await reportingSystemErrors(() =>
      target === '-' ? toPipe(scheduled, terminal) : toFolder(resolve(target), scheduled, terminal),
    );
    printSummary('exported', moved, json, terminal);
  },
});

/** An import creates a missing data folder, and continues an import that did not end. */
const IMPORTING = {
  missingDataFolder: 'made',
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

type TargetOption = 'to-database' | 'to-storage' | 'to-data-dir';
type Target = Readonly<Partial<Record<TargetOption, string | undefined>>>;

const copy = command({
  name: 'copy',
  options: {
    'to-database': text('URL', 'as PINFOLD_DATABASE_URL (default: SQLite in the folder of --to-data-dir)'),
    'to-storage': text('URL', 'as PINFOLD_STORAGE_URL (default: files in the folder of --to-data-dir)'),
    'to-data-dir': text('FOLDER', 'as PINFOLD_DATA_DIR; required unless both other options are given'),
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

const verify = command({
  name: 'verify',
  arguments: ['[FOLDER|-]'],
  options: {
    sample: text('NUMBER', 'read only so many archives, chosen at random; missing archives are always found'),
  },
  help: 'read the archives and compare them with the records: of the service, or of an export, without a database',
  example: 'pinfold verify /backup/pinfold',
  guide: 'backups.md',
  run: async ([given], { json, ...values }, terminal) => {
    const sample = readSample(values.sample);
    if (given !== undefined) {
      if (sample !== undefined) throw new UsageError('--sample is for the archives of the service');
      await verifyExportIn(readPath(given, 'FOLDER'), json, terminal);
      return;
    }
    const found = await withComposition(terminal, ({ ports }) =>
      verifyStores(ports, sample, new Progress('verifying', terminal)),
    );
    if (json) terminal.out(jsonLine(found));
    else for (const line of linesOf(found)) terminal.out(line);
    const { missing, altered, removed, superfluous } = found;
    const wrong = missing.length + altered.length + removed.length + superfluous.length;
    const message = `missing, altered, removed or superfluous: ${pluralize(wrong, 'archive')}`;
    if (wrong > 0) throw new CommandFailure(message, { reported: true });
  },
});

/** Needs no database: it looks at the export alone. */
async function verifyExportIn(from: string, json: boolean, terminal: Terminal): Promise<void> {
  const found = await reportingSystemErrors(() =>
    verifyExport((to, failed) => stepsOf(from, to, terminal, failed), new Progress('verifying', terminal)),
  );
  const { records, named, superfluous, missing, altered, failures } = found;
  if (json) terminal.out(jsonLine(found));
  else {
    for (const line of [...failures, ...those('missing', missing), ...those('altered', altered)])
      terminal.out(line);
    terminal.out(
      `${pluralize(records, 'record')}, ${pluralize(named, 'archive')} of publications; ${superfluous} more have no publication`,
    );
  }
  const wrong = missing.length + altered.length + failures.length;
  if (wrong > 0)
    throw new CommandFailure(`the export is not sound: ${pluralize(wrong, 'fault')}`, { reported: true });
}

async function* stepsOf(
  from: string,
  to: Destination,
  { stream }: Terminal,
  failed?: Failed,
): AsyncGenerator<Step, void> {
  if (from !== '-') {
    yield* stepsFromFolder(resolve(from), to, failed);
    return;
  }
  const { stepsFromTar } = await import('../moving/from-tar.ts');
  if (stream === undefined) throw new UsageError('there is no standard input');
  yield* stepsFromTar(stream(), to);
}

export const commands: readonly Command[] = [exportAll, importAll, copy, verify];

function toFolder(folder: string, isScheduled: boolean, terminal: Terminal): Promise<Moved> {
  return exportTo(new ToFolder(folder), isScheduled, terminal, {
    before: ({ roles }) => refuseToOverwrite(folder, roles),
  });
}

async function toPipe(isScheduled: boolean, terminal: Terminal): Promise<Moved> {
  if (terminal.pipe === undefined)
    throw new UsageError('a tar cannot be shown on a terminal: redirect standard output to a pipe or a file');
  const { ToTar } = await import('../moving/to-tar.ts');
  const tar = new ToTar();
  const written = terminal.pipe(tar.bytes);
  const exported = exportTo(tar, isScheduled, terminal, { written }).catch((error: unknown) => {
    tar.fail(error);
    throw error;
  });
  const [moved] = await Promise.all([exported, written]);
  return moved;
}

interface ExportSteps {
  readonly before?: (stores: ExportedStores) => Promise<void>;
  /** Resolves when all of the export has been written. */
  readonly written?: Promise<void>;
}

function exportTo(
  destination: Destination,
  isScheduled: boolean,
  terminal: Terminal,
  { before, written }: ExportSteps,
): Promise<Moved> {
  return withComposition(terminal, async ({ ports }) => {
    await before?.(ports);
    const moved = await moveFromStores(ports, destination, new Progress('exporting', terminal));
    await written;
    if (isScheduled) await ports.snapshot.recordScheduledExport(ports.clock.now());
    return moved;
  });
}

function moveFrom(from: string, to: Destination, terminal: Terminal): Promise<Moved> {
  return move(stepsOf(from, to, terminal), to, new Progress('importing', terminal));
}

const OPTION_FOR: Readonly<Record<string, TargetOption>> = {
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

function readSample(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError('--sample must be a whole number');
  return Number(text);
}

function linesOf({
  named,
  read,
  missing,
  altered,
  removed,
  superfluous,
  young,
}: Verified): readonly string[] {
  return [
    ...those('missing', missing),
    ...those('altered', altered),
    ...those('removed, though in service', removed),
    ...superfluous.map((id) => `superfluous: ${id}`),
    `${pluralize(named, 'archive')} of publications, of which ${read} were read; ${young} more are younger than a day and have no publication yet`,
  ];
}

function those(what: string, archives: readonly NamedArchive[]): readonly string[] {
  return archives.map(({ archive, pin }) => `${what}: ${archive} of publication ${pin}`);
}
