import { CommandFailure } from '../command-line/failures.ts';
import { pluralize } from '../command-line/print-list.ts';
import { formatJsonLine, type Terminal } from '../command-line/terminal.ts';
import type { Walk } from './walk.ts';

const MIB = 1_048_576;
/** The shortest time between two updates, in milliseconds. */
const UPDATE_INTERVAL = 100;

/** Adds to the counts of a walk; `expected` is the number of archives known so far. */
export type Progress = (
  done: { records?: number; archives?: number; bytes?: number | undefined },
  expected: number,
) => void;

/** Shows the progress of a walk in one line on a terminal; does nothing without one. */
export function progressTo({ progress: show }: Pick<Terminal, 'progress'>, activity: string): Progress {
  let [drawnAt, records, archives, bytes] = [0, 0, 0, 0];
  return (done, expected) => {
    records += done.records ?? 0;
    archives += done.archives ?? 0;
    bytes += done.bytes ?? 0;
    const now = performance.now();
    if (show === undefined || now - drawnAt < UPDATE_INTERVAL) return;
    drawnAt = now;
    show(
      `${activity}: ${records} records, ${archives} of ${expected} archives, ${Math.round(bytes / MIB)} MiB`,
    );
  };
}

/** Standard error names at most this many archives and publications; `--json` names all. */
const MAX_NAMED = 20;

/** @throws CommandFailure if archives of the source are missing or altered; everything else was moved. */
export function printSummary(done: string, walked: Walk, json: boolean, { out, err }: Terminal): void {
  const { recordCount: records, copied } = walked;
  const broken = walked.broken.map(({ archive }) => archive);
  const archives = walked.archives.size;
  const withoutArchive = walked.lost.map(({ pin }) => pin);
  if (json) out(formatJsonLine({ records, archives, copied, broken, withoutArchive }));
  else
    err(`${done}: ${pluralize(records, 'record')}, ${pluralize(archives, 'archive')}, ${copied} of them new`);
  for (const id of broken.slice(0, MAX_NAMED)) err(`broken: ${id}`);
  for (const id of withoutArchive.slice(0, MAX_NAMED)) err(`in service without its archive: ${id}`);
  const problems = [
    { problem: 'missing or altered in the source', count: broken.length, noun: 'archive' },
    { problem: 'in service without its archive', count: withoutArchive.length, noun: 'publication' },
  ].filter(({ count }) => count > 0);
  if (problems.length === 0) return;
  const counts = problems
    .map(({ problem, count, noun }) => `${problem}: ${pluralize(count, noun)}`)
    .join('; ');
  throw new CommandFailure(`${counts}; everything else is done`, { reported: true });
}
