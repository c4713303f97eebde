import { Worker } from 'node:worker_threads';

/** How many changes the log gathers before they are copied: some 4 to 16 MiB. */
const CHANGES = 500;

/** The entry file of the thread has the extension of this one: `.ts` from sources, `.js` when built. */
const ENTRY: URL = new URL(
  `./checkpoint-worker${/\.[a-z]+$/.exec(import.meta.url)?.[0] ?? '.js'}`,
  import.meta.url,
);

/** The thread holds next to nothing; without a bound V8 takes memory for much more. */
const YOUNG_MIB = 2;

/**
 * Lets a thread copy the write-ahead log into the file now and then. It forces the disk twice each time, and a commit
 * that did so itself, as SQLite would, held every request of the process meanwhile.
 */
export class Checkpointer {
  readonly #file: string;
  readonly #entry: URL;
  #worker: Worker | undefined;
  #running: PromiseWithResolvers<void> | undefined;
  #changes = 0;
  #closed = false;

  constructor(file: string, entry: URL = ENTRY) {
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

  /** Started when it is needed first, kept, and no reason for the process to stay. */
  #start(): Worker {
    const worker = new Worker(this.#entry, {
      name: 'pinfold-persistence-sqlite',
      // The options of the process are its own: some, as `--input-type`, would keep a thread from starting.
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    worker.unref();
    worker.on('message', () => this.#ended());
    // Whatever ended it: SQLite itself copies a log that became very long, and the next changes start another thread. It
    // has ended with its exit, not with the error before: by then, another one would be taken for it.
    worker.on('error', () => undefined);
    worker.on('exit', () => this.#lose());
    return worker;
  }

  #lose(): void {
    this.#worker = undefined;
    this.#ended();
  }

  #ended(): void {
    this.#running?.resolve();
    this.#running = undefined;
  }
}
