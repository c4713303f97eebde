import { destination } from 'pino';
import { outputDescriptor } from './output-descriptor.ts';

/** What one write to a pipe may have without others coming in between (POSIX, PIPE_BUF): so lines stay whole. */
const SHARED_BYTES = 4_096;

/** How much is held for a reader that takes nothing, in bytes. */
const MOST_HELD = 8 * 1024 * 1024;

/** How long the last lines may take, in milliseconds. */
const LONGEST_FLUSH = 1_000;

/** How many attempts at an exit may find that nobody has taken anything; the stream makes ten in a second. */
const LAST_ATTEMPTS = 10;

/** Before the next attempt where nobody takes anything, in milliseconds; doubled until somebody does. */
const SHORTEST_PAUSE = 5;
const LONGEST_PAUSE = 100;

/** Standard output, as the lines of a log are written to it: in batches, off the path of the answers. */
export class LogOutput {
  readonly #stream: ReturnType<typeof destination>;
  #pause = SHORTEST_PAUSE;
  #next: NodeJS.Timeout | undefined;
  #attempts = 0;
  #leftAtExit = 0;
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
      dest: outputDescriptor(),
      sync: false,
      maxLength: MOST_HELD,
      ...(shared ? { maxWrite: SHARED_BYTES } : {}),
      // It would wait for 100 ms each time, too long for a busy server, and at an exit for ever.
      retryEAGAIN: (_error, writing, waiting) => this.#isWorthWaiting(writing + waiting),
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
    const flushSync = this.#stream.flushSync.bind(this.#stream);
    this.#stream.flushSync = () => this.#exit(flushSync);
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

  #exit(flushSync: () => void): void {
    if (this.#ended || this.#fails) return;
    this.#leftAtExit = Number.POSITIVE_INFINITY;
    try {
      flushSync();
    } catch {
      // Nobody has taken it in time, and there is nobody to tell.
    }
  }

  /** Whether the stream itself waits for its reader, which it does only at an exit. */
  #isWorthWaiting(left: number): boolean {
    if (left < this.#leftAtExit) {
      this.#leftAtExit = left;
      this.#attempts = LAST_ATTEMPTS;
    }
    this.#attempts -= 1;
    return this.#attempts >= 0;
  }
}

function isFull(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EAGAIN' || error.code === 'EBUSY';
}
