import { readNumber, readPath } from '../command-line/arguments.ts';
import { type Command, command, valueOption } from '../command-line/command.ts';
import { CommandFailure, explainSystemErrors, UsageError } from '../command-line/failures.ts';
import { pluralize } from '../command-line/print-list.ts';
import { formatJsonLine, type Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { type VerifiedExport, type VerifiedStores, verifyExport, verifyStores } from '../moving/check.ts';
import { openExport } from '../moving/generations.ts';
import { progressTo } from '../moving/progress.ts';
import type { Finding } from '../moving/walk.ts';

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

export const commands: readonly Command[] = [verify];

/** Verifies an export by itself, without a database. */
export function verifyExportIn(from: string, terminal: Terminal, sample?: number): Promise<VerifiedExport> {
  return explainSystemErrors(async () =>
    verifyExport(await openExport(from, terminal), progressTo(terminal, 'verifying'), sample),
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
export function checkSound(found: VerifiedExport): void {
  const wrong = listProblems(found).length;
  if (wrong === 0) return;
  throw new CommandFailure(`the export is not sound: ${pluralize(wrong, 'fault')}`, { reported: true });
}

export function listProblems({ failures, missing, altered }: VerifiedExport): readonly string[] {
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
