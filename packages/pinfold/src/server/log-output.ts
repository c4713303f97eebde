import { destination } from 'pino';
import { isFull, writeNow } from './last-writes.ts';
import { outputDescriptor } from './output-descriptor.ts';

/** What one write to a pipe may have without others coming in between (POSIX, PIPE_BUF): so lines stay whole. */
const SHARED_BYTES = 4_096;

/** How much is held for a reader that takes nothing, in bytes. */
const MOST_HELD = 8 * 1024 * 1024;

/** How long the last lines may take, in milliseconds. */
const LONGEST_FLUSH = 1_000;

/** Before the next attempt where nobody takes anything, in milliseconds; doubled until somebody does. */
const SHORTEST_PAUSE = 5;
const LONGEST_PAUSE = 100;

/** What the stream keeps that is not written, in order. It tells nobody, and its own last writes go on for ever where they fail. */
interface Kept {
  readonly _writing: boolean;
  /** Is being written, or was refused. */
  readonly _writingBuf: string | Buffer;
  readonly _bufs: readonly string[];
}

/** Standard output, as the lines of a log are written to it: in batches, off the path of the answers. */
export class LogOutput {
  readonly #descriptor: number = outputDescriptor();
  readonly #stream: ReturnType<typeof destination>;
  #pause = SHORTEST_PAUSE;
  #next: NodeJS.Timeout | undefined;
  #lost = 0;
  #fails = false;
  #ended = false;
  #isStuck = false;

  /**
   * @param shared whether other processes write to it, too.
   * @param onLost hears how many lines were lost because nobody read, as soon as the others are written.
   */
  constructor(shared: boolean, onLost: (lines: number) => void) {
    this.#stream = destination({
      dest: this.#descriptor,
      sync: false,
      maxLength: MOST_HELD,
      ...(shared ? { maxWrite: SHARED_BYTES } : {}),
      // It would wait for 100 ms each time, too long for a busy server.
      retryEAGAIN: () => false,
    });
    this.#stream
      .on('write', () => this.#written())
      .on('error', (error: NodeJS.ErrnoException) => this.#failed(error))
      .on('drop', () => {
        this.#lost += 1;
      })
      .on('drain', () => {
        const lost = this.#lost;
        this.#lost = 0;
        if (lost > 0) onLost(lost);
      });
    // Called when the process exits.
    this.#stream.flushSync = () => this.#exit();
  }

  write(line: string): void {
    if (!this.#ended) this.#stream.write(line);
  }

  /** Resolves when all is written, or a second later: what nobody takes must not keep the program from ending. */
  async flush(): Promise<void> {
    if (this.#ended || (await this.#isAtRest(LONGEST_FLUSH))) return;
    this.#ended = true;
    if (this.#next === undefined) this.#isStuck = !(await this.#isAtRest(LONGEST_PAUSE));
    clearTimeout(this.#next);
  }

  /** Whether a write was still under way when a flush gave up: then `process.exit` waits for it, however long. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  /** Resolves with whether, in that time, all was written, or a write has come back that is the last. */
  async #isAtRest(milliseconds: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const deadline = setTimeout(resolve, milliseconds, false);
    const rest = (): void => resolve(true);
    const fail = (error: Error): void => {
      if (this.#ended || !isFull(error)) rest();
    };
    this.#stream.once('drain', rest).on('error', fail);
    // So that it says when all before is out, also where that is now.
    this.#stream.write('');
    const isAtRest = await promise;
    clearTimeout(deadline);
    this.#stream.off('drain', rest).off('error', fail);
    return isAtRest;
  }

  #written(): void {
    this.#fails = false;
    this.#pause = SHORTEST_PAUSE;
  }

  #failed(error: NodeJS.ErrnoException): void {
    if (isFull(error)) {
      this.#tryLater();
      return;
    }
    // Whoever read a pipe has gone, or a disk is full, which may have room again: neither must end the server.
    this.#fails = true;
    if (error.code === 'EPIPE') this.#ended = true;
  }

  #tryLater(): void {
    if (this.#ended || this.#next !== undefined) return;
    this.#next = setTimeout(() => {
      this.#next = undefined;
      // What waits goes first.
      this.#stream.write('');
    }, this.#pause);
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
  }

  #exit(): void {
    if (this.#ended || this.#fails) return;
    const { _writing, _writingBuf, _bufs } = this.#stream as unknown as Kept;
    writeNow(this.#descriptor, _writing ? _bufs : [_writingBuf, ..._bufs]);
  }
}
