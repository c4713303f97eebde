import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Duration } from '@pinfold/core';
import type { Log } from '../server/log.ts';

/** Says to a process that it is a worker of ours, whatever else forks processes. */
const MARK = '_PINFOLD_WORKER';

/** What a worker is told. */
type Word = 'answer' | 'stop';

/** The longest a worker may take to end once it has drained: what it gives itself, and a little. */
const LONGEST_END = 12_000;

/** Before one that ended without ever having answered is replaced: it may well fail again. */
const PAUSE = 1_000;

/** Whether this process is a worker. */
export function isWorker(): boolean {
  return process.env[MARK] !== undefined && process.send !== undefined;
}

/** What this worker is told: resolves when it may answer, and when it is to stop or its leader has gone. */
export function wordsOfLeader(): { readonly answer: Promise<void>; readonly stop: Promise<void> } {
  const answer = Promise.withResolvers<void>();
  const stop = Promise.withResolvers<void>();
  process.on('message', (word: Word) => (word === 'answer' ? answer : stop).resolve());
  process.once('disconnect', () => stop.resolve());
  return { answer: answer.promise, stop: stop.promise };
}

/** Processes that run this program, too, and share one port. One that ends too soon is replaced. */
export class Workers {
  readonly #count: number;
  readonly #log: Pick<Log, 'info' | 'error'>;
  readonly #drainTime: Duration;
  #answering = false;
  #stopping = false;

  constructor(count: number, log: Pick<Log, 'info' | 'error'>, drainTime: Duration) {
    // Each worker takes connections by itself. Those that the leader would hand to one that dies are never closed.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    this.#count = count;
    this.#log = log;
    this.#drainTime = drainTime;
  }

  /** Starts the first; resolves with the port it took, or with `undefined` when it ended instead. */
  async startFirst(): Promise<number | undefined> {
    const worker = cluster.fork({ [MARK]: '1' });
    const ended = once(worker, 'exit').then(() => undefined);
    const listening = once(worker, 'listening') as Promise<[{ readonly port: number }]>;
    const address = await Promise.race([listening, ended]);
    if (address === undefined) return undefined;
    worker.once('exit', (code, signal) => void this.#replace(true, code, signal));
    return address[0].port;
  }

  /** Lets the first answer, and starts the others. */
  answer(): void {
    this.#answering = true;
    for (const worker of living()) this.#letAnswer(worker);
    for (let n = 1; n < this.#count; n += 1) this.#start();
  }

  /** Lets each drain and finish what it does; resolves when the last has ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const ends = living().map(async (worker) => {
      const ended = once(worker, 'exit');
      tell(worker, 'stop');
      const late = setTimeout(() => worker.process.kill('SIGKILL'), this.#drainTime + LONGEST_END);
      await ended;
      clearTimeout(late);
    });
    await Promise.all(ends);
  }

  #start(): void {
    const worker = cluster.fork({ [MARK]: '1' });
    let listened = false;
    worker.once('listening', () => {
      listened = true;
      if (this.#answering) this.#letAnswer(worker);
    });
    worker.once('exit', (code, signal) => void this.#replace(listened, code, signal));
  }

  #letAnswer(worker: Worker): void {
    tell(worker, 'answer');
    this.#log.info('a worker answers', { pid: worker.process.pid });
  }

  async #replace(listened: boolean, code: number, signal: string | null): Promise<void> {
    if (this.#stopping) return;
    this.#log.error(`a worker ended (${signal ?? `code ${code}`}); another takes its place`);
    if (!listened) await pause(PAUSE, undefined, { ref: false });
    if (!this.#stopping) this.#start();
  }
}

function living(): readonly Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}

/** One that has just ended hears nothing; its end is heard of elsewhere. */
function tell(worker: Worker, word: Word): void {
  if (worker.isConnected()) worker.send(word, () => undefined);
}
