import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Duration } from '@pinfold/core';
import type { RunnableApp } from '../compose/create-app.ts';
import type { Log } from '../server/log.ts';

/** Marks a process as one of these workers, because other code may fork processes, too. */
const MARK = '_PINFOLD_WORKER';

type Message = keyof LeaderMessages;

/** The time in which a worker must end after draining: its own limit and a margin. */
const MAX_STOP_TIME = 12_000;

/** The pause before replacing a worker that ended before it listened, because the next one may fail as well. */
const PAUSE = 1_000;

export function isWorker(): boolean {
  return process.env[MARK] !== undefined && process.send !== undefined;
}

/** The messages from the leader to a worker; each promise resolves when its message arrives. */
interface LeaderMessages {
  readonly answer: Promise<void>;
  /** Also resolves when the leader has ended. */
  readonly stop: Promise<void>;
}

export function leaderMessages(): LeaderMessages {
  const waitFor = (expected: Message): Promise<void> =>
    new Promise((resolve) => {
      process.on('message', (message) => {
        if (message === expected) resolve();
      });
    });
  const leaderGone = once(process, 'disconnect').then(() => undefined);
  return { answer: waitFor('answer'), stop: Promise.race([waitFor('stop'), leaderGone]) };
}

/** Manages processes that run this program and share one port. Replaces a worker that ends unexpectedly. */
export class Workers {
  readonly #count: number;
  readonly #log: Pick<Log, 'info' | 'error'>;
  readonly #drainTime: Duration;
  #answering = false;
  #stopping = false;

  constructor({ workers, log, drainTime }: Pick<RunnableApp, 'workers' | 'log' | 'drainTime'>) {
    // Each worker accepts connections itself: connections that a leader passes to a dying worker would never be closed.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    this.#count = workers;
    this.#log = log;
    this.#drainTime = drainTime;
  }

  /** Starts the first worker; resolves with its port, or with its exit code if it ended. */
  async startFirst(): Promise<{ readonly port: number } | { readonly exitCode: number }> {
    const worker = cluster.fork({ [MARK]: '1' });
    const ended = once(worker, 'exit').then(([code]) => ({ exitCode: typeof code === 'number' ? code : 1 }));
    const listening = once(worker, 'listening').then(([{ port }]) => ({ port: Number(port) }));
    const first = await Promise.race([listening, ended]);
    if ('port' in first) worker.once('exit', (code, signal) => void this.#replace(true, code, signal));
    return first;
  }

  /** Lets the first worker answer, and starts the others. */
  answer(): void {
    this.#answering = true;
    for (const worker of runningWorkers()) this.#letAnswer(worker);
    for (let n = 1; n < this.#count; n += 1) this.#start();
  }

  /** Lets each drain and finish its work; resolves when the last has ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(runningWorkers().map((worker) => this.#end(worker)));
  }

  async #end(worker: Worker): Promise<void> {
    const ended = once(worker, 'exit');
    send(worker, 'stop');
    const killTimer = setTimeout(() => worker.process.kill('SIGKILL'), this.#drainTime + MAX_STOP_TIME);
    await ended;
    clearTimeout(killTimer);
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
    this.#log.info('a worker is ready', { pid: worker.process.pid });
  }

  async #replace(listened: boolean, code: number, signal: string | null): Promise<void> {
    if (this.#stopping) return;
    this.#log.error(`a worker ended (${signal ?? `code ${code}`}); another is starting`);
    if (!listened) await pause(PAUSE, undefined, { ref: false });
    if (!this.#stopping) this.#start();
  }
}

function runningWorkers(): readonly Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}

/** Ignores a worker that has just ended; its exit is handled elsewhere. */
function send(worker: Worker, message: Message): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}
