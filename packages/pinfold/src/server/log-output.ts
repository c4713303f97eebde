import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';

/** The size and time limits of a batch, in bytes and milliseconds. */
const BATCH_BYTES = 64 * 1024;
const BATCH_TIME = 10;

/** The longest write to a pipe that stays whole among other processes (POSIX, PIPE_BUF), in bytes. */
export const ATOMIC_BYTES = 4_096;

const MAX_HELD_BYTES = 8 * 1024 * 1024;

/** The time for writing the last lines, in milliseconds. */
const FLUSH_TIME = 1_000;

/** The pause before a retry at a full pipe, in milliseconds; it doubles until a write succeeds. */
const MIN_PAUSE = 5;
const MAX_PAUSE = 100;

/** How often an exiting process retries while the reader takes nothing. */
const EXIT_ATTEMPTS = 10;

const NEWLINE = 0x0a;

/** Receives the end of a flush: true after everything is written or a write failed; false after the timeout. */
type OnSettled = (isSettled: boolean) => void;

/** All outputs of the process; they share one `exit` listener. */
const OPEN_OUTPUTS: Set<LogOutput> = new Set();

interface Target {
  readonly descriptor: number;
  /** Whether writes never block, because this process opened the descriptor for itself. */
  readonly isOwn: boolean;
}

let target: Target | undefined;

function writeRest(): void {
  for (const output of OPEN_OUTPUTS) output.exit();
}

/**
 * Writes log lines to standard output in batches of up to 10 ms or 64 KiB, so that answers do not wait for system
 * calls.
 */
export class LogOutput {
  readonly #target: Target;
  readonly #maxWrite: number;
  readonly #onLost: (lines: number) => void;
  #batch = '';
  readonly #waiting: Buffer[] = [];
  #held = 0;
  #isWriting = false;
  #pause = MIN_PAUSE;
  #batchTimer: NodeJS.Timeout | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #lost = 0;
  #hasFailed = false;
  #ended = false;
  #isStuck = false;
  readonly #flushes: Set<OnSettled> = new Set();

  /**
   * @param shared whether other processes write to the same output: lines then stay whole.
   *
   * @param onLost receives the number of lines dropped for a slow reader, once it has caught up.
   */
  constructor(shared: boolean, onLost: (lines: number) => void) {
    target ??= openOutput();
    this.#target = target;
    this.#maxWrite = shared ? ATOMIC_BYTES : BATCH_BYTES;
    this.#onLost = onLost;
    OPEN_OUTPUTS.add(this);
    if (OPEN_OUTPUTS.size === 1) process.once('exit', writeRest);
  }

  /** @param urgent writes the line, and the batch before it, at once, unless others wait for a slow reader. */
  write(line: string, urgent: boolean = false): void {
    if (this.#ended) return;
    if (this.#batch.length + line.length > BATCH_BYTES) this.#closeBatch();
    if (this.#held + this.#batch.length + line.length > MAX_HELD_BYTES) {
      this.#lost += 1;
      // Tries again, because a full disk may have room by now.
      this.#sendSoon();
      return;
    }
    this.#batch += line;
    // While others wait, it joins them: thousands of small writes would follow each other in one turn of the event loop.
    if (urgent && this.#waiting.length === 0) this.#closeBatch();
    if (this.#held > 0 && !this.#isWriting && !this.#hasFailed) this.#send();
    else this.#sendSoon();
  }

  #sendSoon(): void {
    this.#batchTimer ??= setTimeout(() => {
      this.#batchTimer = undefined;
      this.#send();
    }, BATCH_TIME);
  }

  /**
   * Resolves when everything is written, or after a second: a reader that takes nothing must not keep the process
   * alive.
   */
  async flush(): Promise<void> {
    if (this.#ended || (await this.#settled(FLUSH_TIME))) return;
    this.#ended = true;
    if (this.#retryTimer === undefined) this.#isStuck = !(await this.#settled(MAX_PAUSE));
    clearTimeout(this.#retryTimer);
  }

  /** Whether a write still blocks after a flush gave up: `process.exit` would wait for it without a limit. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  async #settled(milliseconds: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const deadline = setTimeout(resolve, milliseconds, false);
    this.#flushes.add(resolve);
    this.#send();
    const isSettled = await promise;
    clearTimeout(deadline);
    this.#flushes.delete(resolve);
    return isSettled;
  }

  #closeBatch(): void {
    if (this.#batch === '') return;
    // Not from Node's buffer pool, because lines may wait long for a reader.
    const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(this.#batch));
    bytes.write(this.#batch);
    this.#batch = '';
    this.#waiting.push(bytes);
    this.#held += bytes.length;
  }

  /** Writes the oldest bytes, unless a write is running or a retry is planned. */
  #send(): void {
    if (this.#isWriting || this.#retryTimer !== undefined) return;
    let oldest = this.#oldest();
    if (!this.#target.isOwn && oldest !== undefined) this.#start(oldest);
    else {
      // Synchronous, because after a crash it would be unknown how much an asynchronous write had written.
      while (oldest !== undefined && this.#writeNow(oldest)) oldest = this.#oldest();
      if (oldest === undefined) this.#finish();
    }
  }

  #oldest(): Buffer | undefined {
    if (this.#ended) return undefined;
    if (this.#waiting.length === 0) this.#closeBatch();
    return this.#waiting[0];
  }

  #writeNow(oldest: Buffer): boolean {
    try {
      this.#advance(oldest, writeSync(this.#target.descriptor, oldest, 0, this.#lengthOfWrite(oldest)));
      return true;
    } catch (error) {
      this.#failed(error as NodeJS.ErrnoException);
      return false;
    }
  }

  #start(oldest: Buffer): void {
    this.#isWriting = true;
    write(this.#target.descriptor, oldest, 0, this.#lengthOfWrite(oldest), null, (error, written) => {
      this.#isWriting = false;
      if (error !== null) this.#failed(error);
      else {
        this.#advance(oldest, written);
        // Otherwise the batch timer sends the lines gathered meanwhile: one write per line would cost more.
        if (this.#held > 0 || this.#batchTimer === undefined) this.#send();
      }
    });
  }

  /** Ends a write after a whole line if possible, so that processes do not split each other's lines in a pipe. */
  #lengthOfWrite(bytes: Buffer): number {
    if (bytes.length <= this.#maxWrite) return bytes.length;
    const end = bytes.lastIndexOf(NEWLINE, this.#maxWrite - 1) + 1;
    return end > 0 ? end : bytes.indexOf(NEWLINE) + 1 || bytes.length;
  }

  #advance(bytes: Buffer, written: number): void {
    this.#hasFailed = false;
    this.#pause = MIN_PAUSE;
    this.#held -= written;
    if (written === bytes.length) this.#waiting.shift();
    else this.#waiting[0] = bytes.subarray(written);
  }

  #finish(): void {
    const lost = this.#lost;
    this.#lost = 0;
    this.#settle();
    if (lost > 0) this.#onLost(lost);
  }

  #settle(): void {
    for (const onSettled of this.#flushes) onSettled(true);
  }

  #failed(error: NodeJS.ErrnoException): void {
    if (isFull(error)) {
      if (this.#ended) this.#settle();
      else this.#tryLater();
      return;
    }
    // The reader has left, or the disk is full, perhaps temporarily: neither must end the server.
    this.#hasFailed = true;
    if (error.code === 'EPIPE') this.#ended = true;
    this.#settle();
  }

  #tryLater(): void {
    this.#retryTimer = setTimeout(() => {
      this.#retryTimer = undefined;
      this.#send();
    }, this.#pause);
    this.#pause = Math.min(this.#pause * 2, MAX_PAUSE);
  }

  /** Writes the rest when the process exits, even after an uncaught exception. */
  exit(): void {
    if (this.#ended || this.#hasFailed) return;
    this.#closeBatch();
    // A running write is finished by its own thread, except that a socket may take only a part.
    const [oldest] = this.#waiting;
    const runningLength = this.#isWriting && oldest !== undefined ? this.#lengthOfWrite(oldest) : 0;
    const rest = Buffer.concat(this.#waiting).subarray(runningLength);
    writeNow(this.#target.descriptor, rest, (bytes) => this.#lengthOfWrite(bytes));
  }
}

/**
 * Opens standard output without blocking if the system allows it: a blocked write holds a thread, and `process.exit`
 * waits for that thread.
 */
function openOutput(): Target {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    // Whether writes block is a state that all processes with the same descriptor share, and each of them may change it.
    // So a pipe or a terminal is opened again, for this process alone.
    if (!fstatSync(1).isFile()) {
      const descriptor = openSync('/proc/self/fd/1', O_WRONLY | O_NONBLOCK | O_NOCTTY);
      return { descriptor, isOwn: true };
    }
  } catch {
    // A socket, another user's pipe, or not Linux: touching `process.stdout` makes Node set up its own stream.
    void process.stdout;
  }
  return { descriptor: 1, isOwn: false };
}

/**
 * Writes all bytes before it returns. Gives up if they are not read or cannot be written: no place is left to report
 * it.
 */
function writeNow(descriptor: number, bytes: Buffer, lengthOf: (bytes: Buffer) => number): void {
  let attemptsLeft = EXIT_ATTEMPTS;
  for (let from = 0; from < bytes.length && attemptsLeft >= 0; ) {
    try {
      from += writeSync(descriptor, bytes, from, lengthOf(bytes.subarray(from)));
      attemptsLeft = EXIT_ATTEMPTS;
    } catch (error) {
      attemptsLeft = isFull(error as NodeJS.ErrnoException) ? attemptsLeft - 1 : -1;
      if (attemptsLeft >= 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, MAX_PAUSE);
    }
  }
}

function isFull(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EAGAIN' || error.code === 'EBUSY';
}
