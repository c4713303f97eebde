import cluster, { type Worker } from 'node:cluster';
import { counted, merged, type Snapshot } from './metrics-snapshot.ts';

/** What a leader asks its workers, and what they tell it. */
interface Question {
  readonly kind: 'pinfold:figures?';
  readonly question: number;
}

interface Told {
  readonly kind: 'pinfold:figures';
  /** What it answers; absent when the worker tells by itself. */
  readonly question?: number;
  readonly snapshot: Snapshot;
}

/** So much of its counts one that is killed takes with it, in milliseconds. */
const PAUSE = 1_000;

/** How long an answer waits for workers that are busy; what they told last is taken then. */
const PATIENCE = 500;

/** Tells the leader what this worker counts: every second, when it is asked, and at the end, which is waited for. */
export function tellLeader(read: () => Snapshot): () => Promise<void> {
  const tell = (more: Pick<Told, 'question'> = {}): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (process.send === undefined || !process.connected) return Promise.resolve();
    const told: Told = { kind: 'pinfold:figures', snapshot: read(), ...more };
    process.send(told, undefined, {}, () => resolve());
    return promise;
  };
  const listen = (message: unknown): void => {
    if (isOf<Question>(message, 'pinfold:figures?')) void tell({ question: message.question });
  };
  process.on('message', listen);
  const timer = setInterval(() => void tell(), PAUSE);
  timer.unref();
  return async () => {
    clearInterval(timer);
    process.off('message', listen);
    await tell();
  };
}

/** What the workers of a leader have counted, those that have ended among them. */
export class WorkerFigures {
  readonly #latest: Map<number, Snapshot> = new Map();
  #ended: Snapshot = {};
  #question = 0;
  #answers = new Map<number, (worker: number) => void>();

  constructor() {
    cluster.on('message', (worker, message: unknown) => this.#take(worker, message));
    // All that it said was heard by then, which its exit does not say.
    cluster.on('disconnect', ({ id }) => this.#end(id));
  }

  /** Asks the living, and adds what those told who have ended. */
  async read(): Promise<readonly Snapshot[]> {
    const asked = Object.values(cluster.workers ?? {}).filter(
      (worker): worker is Worker => worker?.isConnected() === true,
    );
    await this.#ask(asked);
    return [this.#ended, ...this.#latest.values()];
  }

  async #ask(workers: readonly Worker[]): Promise<void> {
    if (workers.length === 0) return;
    this.#question += 1;
    const question = this.#question;
    const missing = new Set(workers.map(({ id }) => id));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#answers.set(question, (id) => {
      missing.delete(id);
      if (missing.size === 0) resolve();
    });
    const late = setTimeout(resolve, PATIENCE);
    const words: Question = { kind: 'pinfold:figures?', question };
    for (const worker of workers) worker.send(words, () => undefined);
    await promise;
    clearTimeout(late);
    this.#answers.delete(question);
  }

  #take({ id }: Worker, message: unknown): void {
    if (!isOf<Told>(message, 'pinfold:figures')) return;
    this.#latest.set(id, message.snapshot);
    if (message.question !== undefined) this.#answers.get(message.question)?.(id);
  }

  #end(id: number): void {
    const last = this.#latest.get(id);
    this.#latest.delete(id);
    if (last !== undefined) this.#ended = merged([this.#ended, counted(last)]);
    for (const answered of this.#answers.values()) answered(id);
  }
}

function isOf<Message extends { readonly kind: string }>(
  message: unknown,
  kind: Message['kind'],
): message is Message {
  return typeof message === 'object' && message !== null && 'kind' in message && message.kind === kind;
}
