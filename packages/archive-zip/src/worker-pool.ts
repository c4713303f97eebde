import { Worker } from 'node:worker_threads';
import type { Job, JobReply, JobRequest, JobResults } from './jobs.ts';
import type { ProofControl } from './prove-entries.ts';

/** Jobs given to a worker at once: the next one waits there, so that it never waits for the main thread. */
const DEPTH = 2;

/** The entry file of a worker has the extension of this one: `.ts` from sources, `.js` when built. */
const ENTRY: URL = new URL(`./worker${/\.[a-z]+$/.exec(import.meta.url)?.[0] ?? '.js'}`, import.meta.url);

/** The options of the process are its own: some, as `--input-type`, would keep a worker from starting. */
const OPTIONS: readonly string[] = ENTRY.pathname.endsWith('.ts') ? ['--conditions=@pinfold/source'] : [];

/** A worker's garbage is short-lived; without a bound V8 lets 100 MiB of it gather. */
const YOUNG_MIB = 16;

interface Waiting {
  readonly request: JobRequest;
  readonly settle: (reply: JobReply) => void;
}

interface Lane {
  readonly worker: Worker;
  readonly running: Map<number, Waiting>;
}

/** Worker threads of this package: started when needed, then reused. They do not keep the process alive. */
export class WorkerPool {
  readonly #max: number;
  readonly #entry: URL;
  readonly #lanes: Set<Lane> = new Set();
  readonly #queue: Waiting[] = [];
  readonly #unsettled: Set<Promise<unknown>> = new Set();
  #lastId: number = 0;
  #closing: Promise<void> | undefined;

  constructor(most: number, entry: URL = ENTRY) {
    this.#max = most;
    this.#entry = entry;
  }

  /** Runs a job and returns its reply, also that of a failure. A stopped control ends it at its next check. */
  run<J extends Job>(job: J, control: ProofControl): Promise<JobReply<JobResults[J['kind']]>> {
    try {
      this.throwIfClosing();
    } catch (error) {
      return Promise.reject(error);
    }
    this.#lastId += 1;
    const request: JobRequest = { id: this.#lastId, job, control: control.memory };
    const settled = new Promise<JobReply<JobResults[J['kind']]>>((resolve) => {
      this.#queue.push({ request, settle: resolve as (reply: JobReply) => void });
    });
    this.#unsettled.add(settled);
    settled.finally(() => this.#unsettled.delete(settled));
    this.#spread();
    return settled;
  }

  throwIfClosing(): void {
    if (this.#closing !== undefined) throw new TypeError('the inspector has been closed');
  }

  /** Takes the jobs of a stopped control out of the queue. Those that run end by themselves. */
  drop(control: ProofControl): void {
    const dropped = this.#queue.filter(({ request }) => request.control === control.memory);
    for (const waiting of dropped) {
      this.#queue.splice(this.#queue.indexOf(waiting), 1);
      waiting.settle({ id: waiting.request.id, kind: 'stopped' });
    }
  }

  /** Ends the workers once every job has ended. Closing again is harmless. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all(this.#unsettled);
    await Promise.all([...this.#lanes].map(({ worker }) => worker.terminate()));
  }

  #spread(): void {
    while (this.#queue.length > 0) {
      const lane = this.#laneWithRoom();
      const waiting = lane === undefined ? undefined : this.#queue.shift();
      if (lane === undefined || waiting === undefined) return;
      if ('error' in lane) {
        waiting.settle({ id: waiting.request.id, kind: 'failed', error: lane.error });
        continue;
      }
      if (lane.running.size === 0) lane.worker.ref();
      lane.running.set(waiting.request.id, waiting);
      lane.worker.postMessage(waiting.request);
    }
  }

  /** An idle worker, else a new one, else the least busy; an error if there is none and the system has no thread for one. */
  #laneWithRoom(): Lane | { readonly error: unknown } | undefined {
    const [least] = [...this.#lanes].sort((a, b) => a.running.size - b.running.size);
    if (least?.running.size === 0) return least;
    try {
      if (this.#lanes.size < this.#max) return this.#openLane();
    } catch (error) {
      if (least === undefined) return { error };
    }
    return least !== undefined && least.running.size < DEPTH ? least : undefined;
  }

  #openLane(): Lane {
    const worker = new Worker(this.#entry, {
      name: 'pinfold-archive-zip',
      execArgv: [...OPTIONS],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    const lane: Lane = { worker, running: new Map() };
    this.#lanes.add(lane);
    worker.unref();
    worker.on('message', (reply: JobReply) => this.#settle(lane, reply));
    worker.on('error', (error) => this.#lose(lane, error));
    worker.on('exit', () => this.#lose(lane, new Error('a worker thread ended')));
    return lane;
  }

  #settle(lane: Lane, reply: JobReply): void {
    const waiting = lane.running.get(reply.id);
    lane.running.delete(reply.id);
    if (lane.running.size === 0) lane.worker.unref();
    waiting?.settle(reply);
    this.#spread();
  }

  /** The jobs of a thread that died fail with it; the next job opens another. */
  #lose(lane: Lane, error: unknown): void {
    this.#lanes.delete(lane);
    for (const [id, { settle }] of lane.running) settle({ id, kind: 'failed', error });
    lane.running.clear();
    this.#spread();
  }
}
