import type { Worker } from 'node:worker_threads';
import { Fault } from '@pinfold/core';
import { type AnyProgram, type AnyQuery, byName, type Program } from '@pinfold/core/records';
import { entryOf, startThread } from '../engine/start-thread.ts';
import { fromPlain } from './plain-errors.ts';
import type { FromThread, ToThread } from './write-in-thread.ts';

/** Memory for the arguments of programs, which are short-lived. */
const YOUNG_MIB = 4;

/** Milliseconds from opening to the thread's start, so that short commands, and a server's start, need no thread. */
const START_DELAY = 500;
/** Milliseconds until a thread that died is replaced; doubled after each thread that answered nothing. */
const RESTART_DELAY = 1_000;
const MAX_RESTART_DELAY = 600_000;

/** The maximum number of programs that wait for the thread. */
const MAX_WAITING = 2_048;

/** Options for tests; each defaults to a constant of this file. */
export interface ThreadedWriterOptions {
  readonly entry?: URL;
  /** {@link START_DELAY} */
  readonly startAfter?: number;
  /** {@link RESTART_DELAY} */
  readonly restartAfter?: number;
}

/** Runs programs in a thread with its own connection: in the event loop, all requests would wait for each commit. */
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
  /** How many threads in a row answered nothing. */
  #failedThreads: number = 0;
  #closing: Promise<void> | undefined;

  /** `changed` is called for each program that may have changed something. */
  constructor(
    file: string,
    programs: readonly (AnyProgram | AnyQuery)[],
    changed: () => void,
    {
      entry = entryOf('../writing/write-worker'),
      startAfter = START_DELAY,
      restartAfter = RESTART_DELAY,
    }: ThreadedWriterOptions = {},
  ) {
    this.#file = file;
    this.#programs = byName(programs);
    this.#changed = changed;
    this.#entry = entry;
    this.#restartAfter = restartAfter;
    this.#startLater(startAfter);
  }

  /** Runs a program in the thread; undefined if the caller must run it, since no thread is ready or knows the program. */
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

  /** Resolves when the thread has run all waiting programs and ended. May be called again. */
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
      // The system has no more threads.
      this.#handleExit(error);
      return;
    }
    this.#worker.on('message', (message: FromThread) => this.#receive(message));
    // After the listener, which makes the thread keep the process alive.
    this.#worker.unref();
    this.#worker.on('error', (error) => {
      cause = error;
    });
    this.#worker.on('exit', () => this.#handleExit(cause));
  }

  #receive(message: FromThread): void {
    if (message === 'ready') {
      this.#isReady = true;
      return;
    }
    this.#failedThreads = 0;
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

  /** Rejects the waiting programs, which may have been committed. Until the next thread, the event loop runs programs. */
  #handleExit(cause: unknown): void {
    this.#worker = undefined;
    this.#isReady = false;
    const fault = new Fault('store_unavailable', 'the thread that writes to the database ended', { cause });
    for (const { reject } of this.#waiting.values()) reject(fault);
    this.#waiting.clear();
    if (this.#closing !== undefined) return;
    this.#startLater(Math.min(this.#restartAfter * 2 ** this.#failedThreads, MAX_RESTART_DELAY));
    this.#failedThreads += 1;
  }
}
