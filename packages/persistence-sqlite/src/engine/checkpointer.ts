import type { Worker } from 'node:worker_threads';
import { entryOf, startThread } from './start-thread.ts';

/** How many changes the log collects before a checkpoint: about 4 to 16 MiB. */
const CHANGES = 500;

const YOUNG_MIB = 2;

/** Runs checkpoints in a worker thread: each syncs the disk twice, and within a commit would block every request. */
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

  /** Counts a change that was committed. */
  changed(): void {
    this.#changes += 1;
    if (this.#changes < CHANGES || this.#running !== undefined || this.#closed) return;
    this.#changes = 0;
    this.#running = Promise.withResolvers();
    this.#worker ??= this.#start();
    this.#worker.postMessage(this.#file);
  }

  /** Resolves when nothing runs any more. Closing again is harmless. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running?.promise;
    await this.#worker?.terminate();
  }

  /** The worker thread, started on first use. It does not keep the process alive. */
  #start(): Worker {
    const worker = startThread('', this.#entry, YOUNG_MIB);
    worker.on('message', () => this.#ended());
    // After the listener, which lets the thread keep the process alive.
    worker.unref();
    // SQLite itself checkpoints a very long log, and the next changes start another thread. Listens to `exit` rather
    // than `error`, which comes first: a thread started in between would be mistaken for this one.
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
