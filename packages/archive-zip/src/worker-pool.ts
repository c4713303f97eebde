import { Worker } from 'node:worker_threads';
import type { Job, JobReply, JobRequest, JobResults, ProofControl } from './jobs.ts';

/** With a second job in its queue, a worker never waits for the main thread. */
const MAX_JOBS_PER_WORKER = 2;

/** The entry file of a worker has the extension of this one: `.ts` from sources, `.js` when built. */
const ENTRY: URL = new URL(`./worker${/\.[a-z]+$/.exec(import.meta.url)?.[0] ?? '.js'}`, import.meta.url);

/** Replaces the options of the process: with some, such as `--input-type`, a worker cannot start. */
const EXEC_ARGV: readonly string[] = ENTRY.pathname.endsWith('.ts') ? ['--conditions=@pinfold/source'] : [];

/** A worker's objects are short-lived. Without a bound, V8 would collect 100 MiB of them before it frees any. */
const MAX_YOUNG_GENERATION_MIB = 16;

interface QueuedJob {
  readonly request: JobRequest;
  readonly settle: (reply: JobReply) => void;
}

interface PooledWorker {
  readonly worker: Worker;
  readonly running: Map<number, QueuedJob>;
}

/** Worker threads, started on demand and reused. They do not keep the process alive. */
export class WorkerPool {
  readonly #max: number;
  readonly #entry: URL;
  readonly #workers: Set<PooledWorker> = new Set();
  readonly #queue: QueuedJob[] = [];
  readonly #unsettled: Set<Promise<unknown>> = new Set();
  #lastId: number = 0;
  #closing: Promise<void> | undefined;

  constructor(maxWorkers: number, entry: URL = ENTRY) {
    this.#max = maxWorkers;
    this.#entry = entry;
  }

  /** Runs a job and returns its reply, even if the job fails. A stopped control ends it at its next check. */
  async run<J extends Job>(job: J, control: ProofControl): Promise<JobReply<JobResults[J['kind']]>> {
    this.throwIfClosing();
    this.#lastId += 1;
    const request: JobRequest = { id: this.#lastId, job, control: control.memory };
    const settled = new Promise<JobReply<JobResults[J['kind']]>>((resolve) => {
      this.#queue.push({ request, settle: resolve as (reply: JobReply) => void });
    });
    this.#unsettled.add(settled);
    settled.finally(() => this.#unsettled.delete(settled));
    this.#dispatch();
    return await settled;
  }

  throwIfClosing(): void {
    if (this.#closing !== undefined) throw new TypeError('the inspector has been closed');
  }

  /** Removes the jobs of a stopped control from the queue. Running jobs end by themselves. */
  drop(control: ProofControl): void {
    const dropped = this.#queue.filter(({ request }) => request.control === control.memory);
    for (const queued of dropped) {
      this.#queue.splice(this.#queue.indexOf(queued), 1);
      queued.settle({ id: queued.request.id, kind: 'stopped' });
    }
  }

  /** Ends the workers once every job has ended. May be called again. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all(this.#unsettled);
    await Promise.all([...this.#workers].map(({ worker }) => worker.terminate()));
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const pooled = this.#workerWithRoom();
      const queued = pooled === undefined ? undefined : this.#queue.shift();
      if (pooled === undefined || queued === undefined) return;
      if ('error' in pooled) {
        queued.settle({ id: queued.request.id, kind: 'failed', error: pooled.error });
        continue;
      }
      if (pooled.running.size === 0) pooled.worker.ref();
      pooled.running.set(queued.request.id, queued);
      pooled.worker.postMessage(queued.request);
    }
  }

  /** An idle worker, else a new one, else the least busy one; an error if none exists and the system has no more threads. */
  #workerWithRoom(): PooledWorker | { readonly error: unknown } | undefined {
    const [leastBusy] = [...this.#workers].sort((a, b) => a.running.size - b.running.size);
    if (leastBusy?.running.size === 0) return leastBusy;
    try {
      if (this.#workers.size < this.#max) return this.#startWorker();
    } catch (error) {
      if (leastBusy === undefined) return { error };
    }
    return leastBusy !== undefined && leastBusy.running.size < MAX_JOBS_PER_WORKER ? leastBusy : undefined;
  }

  #startWorker(): PooledWorker {
    const worker = new Worker(this.#entry, {
      name: 'pinfold-archive-zip',
      execArgv: [...EXEC_ARGV],
      resourceLimits: { maxYoungGenerationSizeMb: MAX_YOUNG_GENERATION_MIB },
    });
    const pooled: PooledWorker = { worker, running: new Map() };
    this.#workers.add(pooled);
    worker.unref();
    worker.on('message', (reply: JobReply) => this.#settle(pooled, reply));
    worker.on('error', (error) => this.#discard(pooled, error));
    worker.on('exit', () => this.#discard(pooled, new Error('a worker thread ended')));
    return pooled;
  }

  #settle(pooled: PooledWorker, reply: JobReply): void {
    const job = pooled.running.get(reply.id);
    pooled.running.delete(reply.id);
    if (pooled.running.size === 0) pooled.worker.unref();
    job?.settle(reply);
    this.#dispatch();
  }

  /** Fails the jobs of a thread that died; the next job starts another thread. */
  #discard(pooled: PooledWorker, error: unknown): void {
    this.#workers.delete(pooled);
    for (const [id, { settle }] of pooled.running) settle({ id, kind: 'failed', error });
    pooled.running.clear();
    this.#dispatch();
  }
}
