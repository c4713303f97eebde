import cluster from 'node:cluster';
import { counted, type MetricsSnapshot, merged } from './metrics-snapshot.ts';

interface MetricsMessage {
  readonly kind: 'pinfold:figures';
  readonly snapshot: MetricsSnapshot;
}

/** A worker that is killed takes so much of its counts with it, in milliseconds. */
const PAUSE = 1_000;

/** Sends this worker's metrics to the leader every second. Returns a function that sends them a last time. */
export function sendMetricsToLeader(read: () => MetricsSnapshot): () => Promise<void> {
  const send = async (): Promise<void> => {
    if (process.send === undefined || !process.connected) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const message: MetricsMessage = { kind: 'pinfold:figures', snapshot: read() };
    process.send(message, undefined, {}, () => resolve());
    await promise;
  };
  const timer = setInterval(() => void send(), PAUSE);
  timer.unref();
  void send();
  return async () => {
    clearInterval(timer);
    await send();
  };
}

/** Receives the metrics of a leader's workers, which are at most a second old, also of those that have ended. */
export function workerMetrics(): () => readonly MetricsSnapshot[] {
  const latest = new Map<number, MetricsSnapshot>();
  let ended: MetricsSnapshot = {};
  cluster.on('message', ({ id }, message: unknown) => {
    if (isMetricsMessage(message)) latest.set(id, message.snapshot);
  });
  // All messages of a worker have arrived at its disconnect, but not at its exit.
  cluster.on('disconnect', ({ id }) => {
    ended = merged([ended, counted(latest.get(id) ?? {})]);
    latest.delete(id);
  });
  return () => [ended, ...latest.values()];
}

function isMetricsMessage(message: unknown): message is MetricsMessage {
  const { kind } = (message ?? {}) as Partial<MetricsMessage>;
  return kind === 'pinfold:figures';
}
