import type { Worker } from 'node:worker_threads';
import { Fault } from '@pinfold/core';
import { type AnyProgram, type AnyQuery, byName, type Program } from '@pinfold/core/records';
import { entryOf, startThread } from '../engine/start-thread.ts';
import { fromPlain } from './plain-errors.ts';
import type { FromThread, ToThread } from './write-in-thread.ts';

/** For arguments, which are short-lived. */
const YOUNG_MIB = 4;

/** Milliseconds from opening: a command that ends sooner, and the start of a server, do without the thread. */
const FIRST_START = 500;
/** Milliseconds until a thread that died is replaced, twice as many after each one that answered nothing. */
const RESTART = 1_000;
const LATEST_RESTART = 600_000;

/** The most programs that wait for the thread. */
const MAX_WAITING = 2_048;

/** How the thread is started: as it says when absent. */
export interface ThreadedWriterOptions {
  readonly entry?: URL;
  /** {@link FIRST_START} */
  readonly startAfter?: number;
  /** {@link RESTART} */
  readonly restartAfter?: number;
}

/** Has programs run by a thread with a connection of its own: in the event loop, all requests would wait for a commit. */
export class ThreadedWriter {
  readonly #file: string;
  readonly #programs: ReadonlyMap<string, AnyProgram | AnyQuery>;
  readonly #changed: () => void;
  readonly #entry: URL;
  readonly #waiting: Map<number, PromiseWithResolvers<unknown>> = new Map();
  #lastId: number = 0;
  #starting: NodeJS.Timeout | undefined;
  #worker: Worker | undefined;
  #isReady: boolean = false;
  readonly #restartAfter: number;
  /** Threads in a row that answered nothing. */
  #futile: number = 0;
  #closing: Promise<void> | undefined;

  /** `changed` is called for each program that may have changed something. */
  constructor(
    file: string,
    programs: readonly (AnyProgram | AnyQuery)[],
    changed: () => void,
    {
      entry = entryOf('../writing/write-worker'),
      startAfter = FIRST_START,
      restartAfter = RESTART,
    }: ThreadedWriterOptions = {},
  ) {
    this.#file = file;
    this.#programs = byName(programs);
    this.#changed = changed;
    this.#entry = entry;
    this.#restartAfter = restartAfter;
    this.#startLater(startAfter);
  }

  /** Runs a program in the thread; undefined if it must be run here, because there is no thread, or none that knows it. */
  write<Args, Result>(program: Program<Args, Result>, args: Args): Promise<Result> | undefined {
    const isKnown = this.#programs.get(program.name) === (program as unknown);
    if (!this.#isReady || this.#closing !== undefined || !isKnown) return undefined;
    if (this.#waiting.size >= MAX_WAITING) {
      return Promise.reject(new Fault('store_unavailable', 'too many changes wait for the database'));
    }
    this.#lastId += 1;
    const id = this.#lastId;
    this.#worker?.postMessage({ id, program: program.name, args } satisfies ToThread);
    if (this.#waiting.size === 0) this.#worker?.ref();
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    return waiting.promise as Promise<Result>;
  }

  /** Resolves when the thread has ended, after all that waited for it. Closing again is harmless. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    clearTimeout(this.#starting);
    const worker = this.#worker;
    if (worker === undefined) return;
    if (!this.#isReady) {
      await worker.terminate();
      return;
    }
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.ref();
    worker.postMessage('close' satisfies ToThread);
    await ended;
  }

  #startLater(wait: number): void {
    this.#starting = setTimeout(() => this.#start(), wait).unref();
  }

  #start(): void {
    let cause: unknown;
    try {
      this.#worker = startThread('-writer', this.#entry, YOUNG_MIB, this.#file);
    } catch (error) {
      // The system has no thread for it.
      this.#lose(error);
      return;
    }
    this.#worker.on('message', (message: FromThread) => this.#hear(message));
    // After the listener, which lets the thread keep the process alive.
    this.#worker.unref();
    this.#worker.on('error', (error) => {
      cause = error;
    });
    this.#worker.on('exit', () => this.#lose(cause));
  }

  #hear(message: FromThread): void {
    if (message === 'ready') {
      this.#isReady = true;
      return;
    }
    this.#futile = 0;
    for (const reply of message) {
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if ('error' in reply) {
        waiting?.reject(fromPlain(reply.error));
      } else {
        this.#changed();
        waiting?.resolve(reply.result);
      }
    }
    if (this.#waiting.size === 0 && this.#closing === undefined) this.#worker?.unref();
  }

  /** What waited may be committed or not. Until there is another thread, programs run in the event loop. */
  #lose(cause: unknown): void {
    this.#worker = undefined;
    this.#isReady = false;
    const fault = new Fault('store_unavailable', 'the thread that writes to the database ended', { cause });
    for (const { reject } of this.#waiting.values()) reject(fault);
    this.#waiting.clear();
    if (this.#closing !== undefined) return;
    this.#startLater(Math.min(this.#restartAfter * 2 ** this.#futile, LATEST_RESTART));
    this.#futile += 1;
  }
}
