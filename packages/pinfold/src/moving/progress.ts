import type { Terminal } from '../command-line/terminal.ts';

const MIB = 1_048_576;
/** How often the line is drawn anew at the most, in milliseconds. */
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

  /** Says how many archives there will be. */
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
