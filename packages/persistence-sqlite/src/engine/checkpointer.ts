import type { Worker } from 'node:worker_threads';
import { entryOf, startThread } from './start-thread.ts';

/** Changes between two checkpoints: about 4 to 16 MiB of the log. */
const CHANGES = 500;

const YOUNG_MIB = 2;

/** Runs checkpoints in a worker thread: each syncs the disk twice, which would block every request in the event loop. */
export class Checkpointer {
  readonly #file: string;
  readonly #entry: URL;
  #worker: Worker | undefined;
  #running: PromiseWithResolvers<void> | undefined;
  #changes = 0;
  #closed = false;

  constructor(file: string, entry: URL = entryOf('./checkpoint')) {
    this.#file = file;
    this.#entry = entry;
  }

  /** Counts a committed change. */
  changed(): void {
    this.#changes += 1;
    if (this.#changes < CHANGES || this.#running !== undefined || this.#closed) return;
    this.#changes = 0;
    this.#running = Promise.withResolvers();
    try {
      this.#worker ??= this.#start();
      this.#worker.postMessage(this.#file);
    } catch {
      // The system has no more threads: the next changes try again.
      this.#ended();
    }
  }

  /** Resolves when no checkpoint runs any more. May be called again. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running?.promise;
    await this.#worker?.terminate();
  }

  /** The worker thread, started on first use. It does not keep the process alive. */
  #start(): Worker {
    const worker = startThread('', this.#entry, YOUNG_MIB);
    worker.on('message', () => this.#ended());
    // After the listener, which makes the thread keep the process alive.
    worker.unref();
    // Ignores an error: the next changes start another thread, and SQLite itself checkpoints a very long log. Only `exit`
    // resets the worker: between `error` and `exit`, a new thread could be started, and then reset instead.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      this.#worker = undefined;
      this.#ended();
    });
    return worker;
  }

  #ended(): void {
    this.#running?.resolve();
    this.#running = undefined;
  }
}
