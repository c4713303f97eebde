import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { ATOMIC_BYTES } from './fitting-line.ts';

/** Lines are gathered up to this many bytes, and no longer than this many milliseconds. */
const BATCH_BYTES = 64 * 1024;
const BATCH_TIME = 10;

const HELD_BYTES = 8 * 1024 * 1024;

/** How long the last lines may take, in milliseconds. */
const FLUSH_TIME = 1_000;

/** The pause before the next attempt at a full pipe, in milliseconds; it doubles until a write succeeds. */
const MIN_PAUSE = 5;
const MAX_PAUSE = 100;

/** How often a process that exits tries again while nothing is read. */
const EXIT_ATTEMPTS = 10;

const NEWLINE = 0x0a;

/** How a flush ends: everything is written, or a write has failed for another reason than a full pipe. */
type AtRest = (isAtRest: boolean) => void;

/** All outputs of the process, which share one listener for its exit. */
const OPEN: Set<LogOutput> = new Set();

interface Target {
  readonly descriptor: number;
  /** Whether this process alone set its writes to return at once, so that none can wait. */
  readonly isOwn: boolean;
}

let target: Target | undefined;

function writeRest(): void {
  for (const output of OPEN) output.exit();
}

/**
 * Writes the lines of a log to standard output in batches, off the path of the answers: one system call for up to
 * 10 ms or 64 KiB of lines.
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
  #fails = false;
  #ended = false;
  #isStuck = false;
  readonly #flushes: Set<AtRest> = new Set();

  /**
   * @param shared whether other processes write to the same output: lines then stay whole.
   * @param onLost receives the number of lines that were dropped because the reader was too slow, once it has caught up.
   */
  constructor(shared: boolean, onLost: (lines: number) => void) {
    target ??= openOutput();
    this.#target = target;
    this.#maxWrite = shared ? ATOMIC_BYTES : BATCH_BYTES;
    this.#onLost = onLost;
    OPEN.add(this);
    if (OPEN.size === 1) process.once('exit', writeRest);
  }

  /** @param urgent writes the line and what was gathered before it without waiting for the batch. */
  write(line: string, urgent: boolean = false): void {
    if (this.#ended) return;
    if (this.#batch.length + line.length > BATCH_BYTES) this.#closeBatch();
    if (this.#held + this.#batch.length + line.length > HELD_BYTES) {
      this.#lost += 1;
      // A full disk may have room again, and no other line would try it.
      this.#sendSoon();
      return;
    }
    this.#batch += line;
    if (urgent) this.#closeBatch();
    if (this.#held > 0 && !this.#isWriting && !this.#fails) this.#send();
    else this.#sendSoon();
  }

  #sendSoon(): void {
    this.#batchTimer ??= setTimeout(() => {
      this.#batchTimer = undefined;
      this.#send();
    }, BATCH_TIME);
  }

  /** Resolves when everything is written, or a second later: a reader that takes nothing must not keep the process alive. */
  async flush(): Promise<void> {
    if (this.#ended || (await this.#isAtRest(FLUSH_TIME))) return;
    this.#ended = true;
    if (this.#retryTimer === undefined) this.#isStuck = !(await this.#isAtRest(MAX_PAUSE));
    clearTimeout(this.#retryTimer);
  }

  /** Whether a write was still under way when a flush gave up: `process.exit` would wait for it, however long. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  async #isAtRest(milliseconds: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const deadline = setTimeout(resolve, milliseconds, false);
    this.#flushes.add(resolve);
    this.#send();
    const isAtRest = await promise;
    clearTimeout(deadline);
    this.#flushes.delete(resolve);
    return isAtRest;
  }

  #closeBatch(): void {
    if (this.#batch === '') return;
    // Not out of Node's pool: lines may wait for a reader for long.
    const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(this.#batch));
    bytes.write(this.#batch);
    this.#batch = '';
    this.#waiting.push(bytes);
    this.#held += bytes.length;
  }

  /** Writes the oldest bytes, unless a write is under way or waits for a full pipe. */
  #send(): void {
    if (this.#isWriting || this.#retryTimer !== undefined) return;
    let oldest = this.#oldest();
    if (!this.#target.isOwn && oldest !== undefined) this.#start(oldest);
    else {
      // Of a write under way a process that breaks would not know how much was taken.
      while (oldest !== undefined && this.#writeNow(oldest)) oldest = this.#oldest();
      if (oldest === undefined) this.#drained();
    }
  }

  #oldest(): Buffer | undefined {
    if (this.#ended) return undefined;
    if (this.#waiting.length === 0) this.#closeBatch();
    return this.#waiting[0];
  }

  #writeNow(oldest: Buffer): boolean {
    try {
      this.#took(oldest, writeSync(this.#target.descriptor, oldest, 0, this.#lengthOfWrite(oldest)));
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
        this.#took(oldest, written);
        // Otherwise the timer of the batch sends what was gathered meanwhile: a write costs more than its lines.
        if (this.#held > 0 || this.#batchTimer === undefined) this.#send();
      }
    });
  }

  /** Ends a write behind a line where it can, so that processes that share a pipe do not split each other's lines. */
  #lengthOfWrite(bytes: Buffer): number {
    if (bytes.length <= this.#maxWrite) return bytes.length;
    const end = bytes.lastIndexOf(NEWLINE, this.#maxWrite - 1) + 1;
    return end > 0 ? end : bytes.indexOf(NEWLINE) + 1 || bytes.length;
  }

  #took(bytes: Buffer, written: number): void {
    this.#fails = false;
    this.#pause = MIN_PAUSE;
    this.#held -= written;
    if (written === bytes.length) this.#waiting.shift();
    else this.#waiting[0] = bytes.subarray(written);
  }

  #drained(): void {
    const lost = this.#lost;
    this.#lost = 0;
    this.#settle();
    if (lost > 0) this.#onLost(lost);
  }

  #settle(): void {
    for (const atRest of this.#flushes) atRest(true);
  }

  #failed(error: NodeJS.ErrnoException): void {
    if (isFull(error)) {
      if (this.#ended) this.#settle();
      else this.#tryLater();
      return;
    }
    // The reader of the pipe has gone, or the disk is full, which may change: neither must end the server.
    this.#fails = true;
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

  /** Writes what is left when the process exits, also after an uncaught exception. */
  exit(): void {
    if (this.#ended || this.#fails) return;
    this.#closeBatch();
    // A write that is under way is finished by its own thread, unless a socket takes less of it.
    const [oldest] = this.#waiting;
    const underWay = this.#isWriting && oldest !== undefined ? this.#lengthOfWrite(oldest) : 0;
    const rest = Buffer.concat(this.#waiting).subarray(underWay);
    writeNow(this.#target.descriptor, rest, (bytes) => this.#lengthOfWrite(bytes));
  }
}

/**
 * Where standard output goes. Its writes return at once if the system allows that, also without a reader: a
 * blocked write holds a thread, and `process.exit` waits for that thread.
 */
function openOutput(): Target {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    // Whether writes wait belongs to what all processes share that were started with it, and each that is started or
    // ends sets it anew. So a pipe or a terminal is opened once more, by this process alone.
    if (!fstatSync(1).isFile()) {
      const descriptor = openSync('/proc/self/fd/1', O_WRONLY | O_NONBLOCK | O_NOCTTY);
      return { descriptor, isOwn: true };
    }
  } catch {
    // A socket, another user's pipe, or no Linux: Node's own stream lets writes come back from when it is first looked at.
    void process.stdout;
  }
  return { descriptor: 1, isOwn: false };
}

/** Writes all before it returns; gives up when it is not read or cannot be written: there is nowhere left to report it. */
function writeNow(descriptor: number, bytes: Buffer, lengthOf: (bytes: Buffer) => number): void {
  let left = EXIT_ATTEMPTS;
  for (let from = 0; from < bytes.length && left >= 0; ) {
    try {
      from += writeSync(descriptor, bytes, from, lengthOf(bytes.subarray(from)));
      left = EXIT_ATTEMPTS;
    } catch (error) {
      left = isFull(error as NodeJS.ErrnoException) ? left - 1 : -1;
      if (left >= 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, MAX_PAUSE);
    }
  }
}

function isFull(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EAGAIN' || error.code === 'EBUSY';
}
