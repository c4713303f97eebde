import { jsonLine } from '../command-line/escape-control-characters.ts';
import { CommandFailure } from '../command-line/failures.ts';
import { counted } from '../command-line/pluralize.ts';
import type { Terminal } from '../command-line/terminal.ts';
import type { Moved } from './from-stores.ts';

/** The most broken archives that are named on standard error; `--json` names all. */
const MOST_NAMED = 20;

/**
 * Says what was moved.
 *
 * @throws CommandFailure where archives are broken where they come from: all else was moved.
 */
export function tellMoved(done: string, moved: Moved, json: boolean, { out, err }: Terminal): void {
  const { records, archives, copied, broken } = moved;
  if (json) out(jsonLine(moved));
  else err(`${done}: ${counted(records, 'record')}, ${counted(archives, 'archive')}, ${copied} of them new`);
  if (broken.length === 0) return;
  for (const id of broken.slice(0, MOST_NAMED)) err(`broken: ${id}`);
  throw new CommandFailure(
    `missing or altered where they come from: ${counted(broken.length, 'archive')}; all else is done`,
  );
}
