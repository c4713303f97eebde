import { CommandFailure } from '../command-line/failures.ts';
import { pluralize } from '../command-line/print-list.ts';
import { jsonLine, type Terminal } from '../command-line/terminal.ts';
import type { Moved } from './move.ts';

const MIB = 1_048_576;
/** In milliseconds. */
const EVERY = 100;

/** The progress of a move in one line on a terminal; it costs nothing without one. */
export class Progress {
  readonly #doing: string;
  readonly #show: ((line: string) => void) | undefined;
  #drawn = 0;
  #records = 0;
  #archives = 0;
  #bytes = 0;
  #all: number | undefined;

  constructor(doing: string, terminal: Terminal) {
    this.#doing = doing;
    this.#show = terminal.progress?.bind(terminal);
  }

  records(count: number): void {
    this.#records += count;
    this.#draw();
  }

  expect(archives: number): void {
    this.#all = archives;
  }

  archive(bytes: number): void {
    this.#archives += 1;
    this.#bytes += bytes;
    this.#draw();
  }

  #draw(): void {
    const now = performance.now();
    if (this.#show === undefined || now - this.#drawn < EVERY) return;
    this.#drawn = now;
    const of = this.#all === undefined ? '' : ` of ${this.#all}`;
    const archives = `${this.#archives}${of} archives, ${Math.round(this.#bytes / MIB)} MiB`;
    this.#show(`${this.#doing}: ${this.#records} records, ${archives}`);
  }
}

/** Standard error names at most this many broken archives and publications without one; `--json` names all. */
const MAX_NAMED = 20;

/** @throws CommandFailure if archives of the source are missing or altered; everything else was moved. */
export function printSummary(done: string, moved: Moved, json: boolean, { out, err }: Terminal): void {
  const { records, archives, copied, broken, withoutArchive } = moved;
  if (json) out(jsonLine(moved));
  else
    err(`${done}: ${pluralize(records, 'record')}, ${pluralize(archives, 'archive')}, ${copied} of them new`);
  for (const id of broken.slice(0, MAX_NAMED)) err(`broken: ${id}`);
  for (const id of withoutArchive.slice(0, MAX_NAMED)) err(`in service without its archive: ${id}`);
  const wrong = [
    ...(broken.length === 0
      ? []
      : [`missing or altered in the source: ${pluralize(broken.length, 'archive')}`]),
    ...(withoutArchive.length === 0
      ? []
      : [`in service without its archive: ${pluralize(withoutArchive.length, 'publication')}`]),
  ];
  if (wrong.length === 0) return;
  throw new CommandFailure(`${wrong.join('; ')}; everything else is done`, { reported: json });
}
