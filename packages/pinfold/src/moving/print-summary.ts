import { jsonLine } from '../command-line/escape-control-characters.ts';
import { CommandFailure } from '../command-line/failures.ts';
import { pluralize } from '../command-line/pluralize.ts';
import type { Terminal } from '../command-line/terminal.ts';
import type { Moved } from './move.ts';

/** Standard error names at most this many broken archives; `--json` names all. */
const MOST_NAMED = 20;

/**
 * Prints what was moved.
 *
 * @throws CommandFailure if archives of the source are broken; everything else was moved.
 */
export function printSummary(done: string, moved: Moved, json: boolean, { out, err }: Terminal): void {
  const { records, archives, copied, broken } = moved;
  if (json) out(jsonLine(moved));
  else
    err(`${done}: ${pluralize(records, 'record')}, ${pluralize(archives, 'archive')}, ${copied} of them new`);
  if (broken.length === 0) return;
  for (const id of broken.slice(0, MOST_NAMED)) err(`broken: ${id}`);
  throw new CommandFailure(
    `missing or altered in the source: ${pluralize(broken.length, 'archive')}; everything else is done`,
    { reported: json },
  );
}
