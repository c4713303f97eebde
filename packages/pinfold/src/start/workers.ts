import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Duration } from '@pinfold/core';
import type { RunnableApp } from '../compose/create-app.ts';
import type { Log } from '../server/log.ts';

/** Marks a process as a worker of ours, also if other code forks processes. */
const MARK = '_PINFOLD_WORKER';

type Word = keyof LeaderMessages;

/** The longest a worker may take to end once it has drained: what it gives itself, and a little. */
const MAX_STOP_TIME = 12_000;

/** Before one that ended without ever having answered is replaced: it may well fail again. */
const PAUSE = 1_000;

export function isWorker(): boolean {
  return process.env[MARK] !== undefined && process.send !== undefined;
}

/** The messages of the leader to a worker; each resolves when it arrives. */
export interface LeaderMessages {
  readonly answer: Promise<void>;
  /** Also when the leader has gone. */
  readonly stop: Promise<void>;
}

export function leaderMessages(): LeaderMessages {
  const hears = (word: Word): Promise<void> =>
    new Promise((resolve) => {
      process.on('message', (message) => {
        if (message === word) resolve();
      });
    });
  const gone = once(process, 'disconnect').then(() => undefined);
  return { answer: hears('answer'), stop: Promise.race([hears('stop'), gone]) };
}

/** Processes that run this program, too, and share one port. One that ends too soon is replaced. */
export class Workers {
  readonly #count: number;
  readonly #log: Pick<Log, 'info' | 'error'>;
  readonly #drainTime: Duration;
  #answering = false;
  #stopping = false;

  constructor({ workers, log, drainTime }: Pick<RunnableApp, 'workers' | 'log' | 'drainTime'>) {
    // Each worker takes connections by itself. Those that the leader would hand to one that dies are never closed.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    this.#count = workers;
    this.#log = log;
    this.#drainTime = drainTime;
  }

  /** Starts the first; resolves with the port it took, or with its exit code when it ended instead. */
  async startFirst(): Promise<{ readonly port: number } | { readonly exitCode: number }> {
    const worker = cluster.fork({ [MARK]: '1' });
    const ended = once(worker, 'exit').then(([code]) => ({ exitCode: typeof code === 'number' ? code : 1 }));
    const listening = once(worker, 'listening').then(([{ port }]) => ({ port: Number(port) }));
    const first = await Promise.race([listening, ended]);
    if ('port' in first) worker.once('exit', (code, signal) => void this.#replace(true, code, signal));
    return first;
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
    await Promise.all(living().map((worker) => this.#end(worker)));
  }

  async #end(worker: Worker): Promise<void> {
    const ended = once(worker, 'exit');
    send(worker, 'stop');
    const late = setTimeout(() => worker.process.kill('SIGKILL'), this.#drainTime + MAX_STOP_TIME);
    await ended;
    clearTimeout(late);
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
    send(worker, 'answer');
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
function send(worker: Worker, word: Word): void {
  if (worker.isConnected()) worker.send(word, () => undefined);
}
