import cluster from 'node:cluster';
import { type MetricsSnapshot, mergeSnapshots, withoutGauges } from './metrics-snapshot.ts';

interface MetricsMessage {
  readonly kind: 'pinfold:metrics';
  readonly snapshot: MetricsSnapshot;
}

/** The interval between two messages, in milliseconds. A killed worker loses the counts of this time. */
const PAUSE = 1_000;

/** Sends this worker's metrics to the leader every second. Returns a function that sends them once more and stops. */
export function sendMetricsToLeader(read: () => MetricsSnapshot): () => Promise<void> {
  const send = async (): Promise<void> => {
    if (process.send === undefined || !process.connected) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const message: MetricsMessage = { kind: 'pinfold:metrics', snapshot: read() };
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

/** Receives the metrics of all workers, at most a second old, and keeps the counters of workers that have ended. */
export function receiveWorkerMetrics(): () => readonly MetricsSnapshot[] {
  const latest = new Map<number, MetricsSnapshot>();
  let ended: MetricsSnapshot = {};
  cluster.on('message', ({ id }, message: unknown) => {
    if (isMetricsMessage(message)) latest.set(id, message.snapshot);
  });
  // A worker's messages have all arrived at its disconnect, but not always at its exit.
  cluster.on('disconnect', ({ id }) => {
    ended = mergeSnapshots([ended, withoutGauges(latest.get(id) ?? {})]);
    latest.delete(id);
  });
  return () => [ended, ...latest.values()];
}

function isMetricsMessage(message: unknown): message is MetricsMessage {
  const { kind } = (message ?? {}) as Partial<MetricsMessage>;
  return kind === 'pinfold:metrics';
}
