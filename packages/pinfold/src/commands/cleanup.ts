import { type CleanUpReport, type Clock, hours, type Instant, isFault, seconds } from '@pinfold/core';
import { readArguments } from '../command-line/arguments.ts';
import { byCommand } from '../command-line/by-command.ts';
import { jsonLine } from '../command-line/escape-control-characters.ts';
import { CommandFailure } from '../command-line/failures.ts';
import { OPTIONS } from '../command-line/options.ts';
import { counted } from '../command-line/pluralize.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { BY_THIS_NODE } from '../server/by-this-node.ts';
import type { Settings } from '../settings/settings.ts';

/** Whoever starts a sweep by hand wants it done; the server's own leaves what takes longer to the next one. */
const LONGEST = hours(24);

const PROGRESS_EVERY = seconds(2);

/** `pinfold cleanup` */
export async function cleanup(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = readArguments(args, [], OPTIONS.cleanup);
  const dryRun = values['dry-run'] ?? false;
  const cause = byCommand();
  const report = await withComposition(terminal, async ({ useCases, history, views }, settings) => {
    // That a site expired is nobody's deed, whoever has it swept.
    if (!dryRun) {
      await history.sweep({ cause: BY_THIS_NODE });
      await views.sweep();
    }
    return await useCases
      .cleanUp({
        cause,
        force: values.force ?? false,
        takeOver: true,
        dryRun,
        time: LONGEST,
        onProgress: progressTo(terminal, useCases.clock),
      })
      .catch((error: unknown) => {
        throw inWordsOfSettings(error, settings);
      });
  });
  if (dryRun) terminal.err(NOT_COMPARED);
  if (values.json) terminal.out(jsonLine(report));
  if (report.rested) throw new CommandFailure(RESTED);
  if (!values.json) for (const line of linesOf(report, dryRun)) terminal.out(line);
  if (report.listing === 'refused') {
    throw new CommandFailure(
      'so many archives have no record that the database may be the wrong one, so no archive was removed; "pinfold cleanup --force" removes them anyway, 1,000 at a time',
    );
  }
}

const RESTED = 'the service is read-only, so nothing was removed; "pinfold mode normal" ends that';

/** Without it, a dry run after a loss would look as if nothing of today were missing. */
const NOT_COMPARED =
  'pinfold: archives of the last day are not compared, so those of them that are missing are not named';

/** A bucket that cannot be used is a wrong setting to whoever starts the command. */
function inWordsOfSettings(error: unknown, { storage }: Settings): unknown {
  if (!isFault(error) || error.code !== 'storage_unavailable' || storage.kind !== 's3') return error;
  return new CommandFailure(`PINFOLD_STORAGE_URL cannot be used: ${error.message}`, {
    cause: error,
  });
}

/** Says now and then how far a long sweep has come. */
function progressTo({ err }: Terminal, clock: Clock): (report: CleanUpReport) => void {
  let said: Instant = clock.now();
  return ({ archives, orphans, failures, compared }) => {
    if (clock.now() - said < PROGRESS_EVERY) return;
    said = clock.now();
    err(
      `pinfold: ${counted(archives + orphans, 'archive')} removed, ${failures} could not be, ${compared} compared so far`,
    );
  };
}

const LISTING: Readonly<Record<CleanUpReport['listing'], string>> = {
  done: 'storage was compared with the records',
  not_due: 'storage was compared with the records less than a day ago',
  under_way: 'a later sweep goes on comparing storage with the records',
  refused: 'storage does not fit the records',
};

/** What one comparison removes at the most. */
const MOST_REMOVED = 1_000;

/** Archives without a record that the next comparison may remove. */
function waitingOf({ listing, unnamed }: CleanUpReport): number {
  if (listing === 'not_due') return unnamed;
  return listing === 'done' ? Math.max(0, unnamed - MOST_REMOVED) : 0;
}

function linesOf(report: CleanUpReport, dryRun: boolean): readonly string[] {
  const waiting = waitingOf(report);
  const [removed, dropped] = dryRun ? ['would be removed', 'would be dropped'] : ['removed', 'dropped'];
  return [
    `${counted(report.archives, 'archive')} of ended publications ${removed}`,
    `without a record: ${report.unnamed} of ${counted(report.compared, 'archive')} older than a day, ${report.orphans} ${removed}: ${LISTING[report.listing]}`,
    ...(waiting > 0
      ? [
          `waiting for the next comparison: ${counted(waiting, 'archive')} without a record; --force makes it now`,
        ]
      : []),
    ...(report.failures > 0
      ? [`could not be removed, and will be tried again: ${counted(report.failures, 'archive')}`]
      : []),
    `${counted(report.uploads, 'abandoned upload')}, ${counted(report.reservations, 'old reservation')} and ${report.attempts} counts of wrong passwords ${dropped}`,
    ...report.missing.map((id) => `missing in the storage: archive ${id} of a published site`),
    ...(report.finished ? [] : ['time ran out before everything was done']),
  ];
}
