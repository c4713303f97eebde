import cluster from 'node:cluster';
import { counted, merged, type Snapshot } from './metrics-snapshot.ts';

interface Told {
  readonly kind: 'pinfold:figures';
  readonly snapshot: Snapshot;
}

/** A worker that is killed takes so much of its counts with it, in milliseconds. */
const PAUSE = 1_000;

/** Sends this worker's metrics to the leader every second. Returns a function that sends them a last time. */
export function tellLeader(read: () => Snapshot): () => Promise<void> {
  const tell = async (): Promise<void> => {
    if (process.send === undefined || !process.connected) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const told: Told = { kind: 'pinfold:figures', snapshot: read() };
    process.send(told, undefined, {}, () => resolve());
    await promise;
  };
  const timer = setInterval(() => void tell(), PAUSE);
  timer.unref();
  void tell();
  return async () => {
    clearInterval(timer);
    await tell();
  };
}

/** Receives the metrics of a leader's workers, which are at most a second old, also of those that have ended. */
export function workerFigures(): () => readonly Snapshot[] {
  const latest = new Map<number, Snapshot>();
  let ended: Snapshot = {};
  cluster.on('message', ({ id }, message: unknown) => {
    if (isTold(message)) latest.set(id, message.snapshot);
  });
  // All messages of a worker have arrived at its disconnect, but not at its exit.
  cluster.on('disconnect', ({ id }) => {
    ended = merged([ended, counted(latest.get(id) ?? {})]);
    latest.delete(id);
  });
  return () => [ended, ...latest.values()];
}

function isTold(message: unknown): message is Told {
  const { kind } = (message ?? {}) as Partial<Told>;
  return kind === 'pinfold:figures';
}
