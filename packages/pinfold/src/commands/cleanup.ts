import { type CleanUpReport, type CleanUpRequest, hours, isFault, minutes, seconds } from '@pinfold/core';
import { MAX_REMOVAL_DELAY, toRfc3339 } from '@pinfold/core/internal';
import type { AdministeredPin } from '@pinfold/http-express/internal';
import { SystemClock } from '@pinfold/platform-node/internal/system-clock';
import { readTime } from '../command-line/arguments.ts';
import { type Command, command, flagOption, valueOption } from '../command-line/command.ts';
import { CommandFailure, UnavailableError, UsageError } from '../command-line/failures.ts';
import { formatLine, pluralize } from '../command-line/print-list.ts';
import { formatJsonLine, type Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { BY_THIS_NODE, operatorCause } from '../identity.ts';
import type { Settings } from '../settings/settings.ts';
import { formatOption } from '../settings/variables.ts';
import { loadPin, toColumns } from './admin-publications.ts';

/**
 * A cleanup started by hand runs to its end, and takes a comparison over from the server that is making it. The server's
 * own cleanups stop earlier, and the next one continues.
 */
const MAX_DURATION = hours(24);

const PROGRESS_EVERY = seconds(2);

const cleanup = command({
  name: 'cleanup',
  options: {
    'dry-run': flagOption(
      'print what would be removed and what is missing, without changing anything;\nit does not compare archives younger than a day',
    ),
    list: flagOption('with --dry-run: name publications whose archives would be removed, and their ends'),
    'ends-before': valueOption(
      'TIME',
      'with --dry-run: include publications that end before a time, or within a duration such as 24h',
    ),
    force: flagOption(
      'compare storage and records now, and remove archives without a record in any case,\n1,000 at a time',
    ),
    'catch-up': flagOption("use this machine's clock for all ages; asks whether it is right"),
    yes: flagOption('do not ask'),
  },
  help: 'remove what is no longer needed; the server also does it every ten minutes',
  example: 'pinfold cleanup --dry-run',
  guide: 'cleanup.md',
  run: async (
    _,
    {
      'dry-run': dryRun = false,
      list = false,
      'ends-before': end,
      force = false,
      'catch-up': catchUp = false,
      yes,
      json,
    },
    terminal,
  ) => {
    if (list && !dryRun) throw new UsageError('--list is for --dry-run');
    if (end !== undefined && !dryRun) throw new UsageError('--ends-before is for --dry-run');
    if (catchUp && !dryRun && !yes) await confirmClock(terminal);
    const endsBefore =
      end === undefined ? undefined : readTime(end, '--ends-before', new SystemClock().now(), 'after');
    const request = { force, catchUp, dryRun, ...(endsBefore !== undefined && { endsBefore }) };
    const { report, pins } = await withComposition(terminal, async (composition, settings) => {
      const { useCases, manageHistory: history, countedViews: views } = composition;
      // Expirations are recorded as actions of the node, not of the user who starts the cleanup.
      if (!dryRun) {
        await history.sweep({ cause: BY_THIS_NODE });
        await views.sweep();
      }
      const onProgress = printProgress(terminal);
      const result = await useCases
        .cleanUp({ ...request, cause: operatorCause(), takeOver: true, time: MAX_DURATION, onProgress })
        .catch((error: unknown) => {
          throw explainStorageFault(error, settings);
        });
      const ending: AdministeredPin[] = [];
      if (list) for (const id of result.ending) ending.push(await loadPin(id, composition, settings));
      return { report: result, pins: ending };
    });
    if (dryRun) terminal.err(NOT_COMPARED);
    if (list && report.archives > pins.length)
      terminal.err(`pinfold: the list names the first ${pins.length} of ${report.archives} publications`);
    if (json) terminal.out(formatJsonLine(list ? { ...report, pins } : report));
    else for (const pin of pins) terminal.out(formatLine(toColumns(pin, pin.deleted_at ?? pin.expires_at)));
    if (report.clockDiffers) throw new CommandFailure(CLOCK_DIFFERS, { reported: true });
    if (report.rested) throw new CommandFailure(READ_ONLY, { reported: true });
    if (report.removalBehind > MAX_REMOVAL_DELAY) terminal.err(`pinfold: ${BEHIND}`);
    if (!json) for (const line of formatReport(report, request)) terminal.out(line);
    if (report.listing === 'refused') throw new CommandFailure(REFUSED, { reported: true });
  },
});

export const commands: readonly Command[] = [cleanup];

const REFUSED =
  'so many archives have no record that the database may be the wrong one, so no archive was removed; "pinfold cleanup --force" removes them in any case, 1,000 at a time';

const CLOCK_DIFFERS =
  "this machine's clock differs from the database's by more than 60 s, so nothing was removed; set the clock, or run the cleanup on another machine";

const BEHIND =
  'archives are removed late, as after a time in which no server ran: if the clock of this machine is right, "pinfold cleanup --catch-up" removes them now';

const READ_ONLY = 'the service is read-only, so nothing was removed; "pinfold mode normal" ends that';

/** Without this line, a dry run after a loss would look as if no recent archive were missing. */
const NOT_COMPARED =
  'pinfold: archives of the last day were not compared: the report does not name missing ones';

async function confirmClock({ confirm }: Terminal): Promise<void> {
  if (confirm === undefined) throw new UsageError('--catch-up asks on a terminal; without one, add --yes');
  const now = new Date().toISOString();
  const isRight = await confirm(`It is ${now} by this machine's clock. Remove what has ended by then?`);
  if (!isRight) throw new CommandFailure('nothing was removed', 'interrupted');
}

function explainStorageFault(error: unknown, { storage }: Settings): unknown {
  if (!isFault(error) || error.code !== 'storage_unavailable' || storage.kind !== 's3') return error;
  const message = `${formatOption('storage')} cannot be used: ${error.message}`;
  return error.retryable
    ? new UnavailableError(message, { cause: error })
    : new CommandFailure(message, { cause: error, code: 'usage' });
}

function printProgress({ err }: Terminal): (report: CleanUpReport) => void {
  let printedAt = performance.now();
  return ({ archives, orphans, failures, compared }) => {
    if (performance.now() - printedAt < PROGRESS_EVERY) return;
    printedAt = performance.now();
    err(
      `pinfold: ${pluralize(archives + orphans, 'archive')} removed, ${failures} could not be, ${compared} compared so far`,
    );
  };
}

const LISTING: Readonly<Record<CleanUpReport['listing'], string>> = {
  done: 'storage was compared with the records',
  not_due: 'storage was compared with the records less than a day ago',
  under_way: 'a later cleanup continues the comparison of storage with the records',
  refused: 'storage does not match the records',
};

const MAX_REMOVED = 1_000;

/** Counts the archives without a record (`unnamed`) that are left for the next comparison. */
function countWaiting({ listing, unnamed }: CleanUpReport): number {
  if (listing === 'not_due') return unnamed;
  return listing === 'done' ? Math.max(0, unnamed - MAX_REMOVED) : 0;
}

/** Ages are judged by the clock of removal in the database, which may be behind this machine's clock (cleanup.md). */
function describeDelay({ removalBehind }: CleanUpReport): string {
  const minutesBehind = Math.round(removalBehind / minutes(1));
  return minutesBehind === 0 ? 'now' : `${pluralize(minutesBehind, 'minute')} ago`;
}

function formatReport(
  report: CleanUpReport,
  { dryRun, endsBefore }: Pick<CleanUpRequest, 'dryRun' | 'endsBefore'>,
): readonly string[] {
  const waiting = countWaiting(report);
  const [removed, dropped] = dryRun ? ['would be removed', 'would be dropped'] : ['removed', 'dropped'];
  // A time in the past adds nothing to those that have ended.
  const ended =
    endsBefore === undefined || endsBefore <= new SystemClock().now()
      ? 'ended publications'
      : `publications that end by ${toRfc3339(endsBefore)}`;
  return [
    `${pluralize(report.archives, 'archive')} of ${ended} ${removed}`,
    `without a record: ${report.unnamed} of ${pluralize(report.compared, 'archive')} older than a day, ${report.orphans} ${removed}: ${LISTING[report.listing]}`,
    ...(waiting > 0
      ? [
          `waiting for the next comparison: ${pluralize(waiting, 'archive')} without a record; --force makes it now`,
        ]
      : []),
    ...(report.failures > 0
      ? [`could not be removed, and will be tried again: ${pluralize(report.failures, 'archive')}`]
      : []),
    `${pluralize(report.uploads, 'abandoned upload')}, ${pluralize(report.reservations, 'old reservation')} and ${report.attempts} counts of wrong passwords ${dropped}`,
    `ages are judged by the clock of removal: as of ${describeDelay(report)}`,
    ...report.missing.map((id) => `missing in the storage: archive ${id} of a published site`),
    ...report.withoutArchive.map((id) => `in service without its archive: publication ${id}`),
    ...(report.finished ? [] : ['time ran out before everything was done']),
  ];
}
