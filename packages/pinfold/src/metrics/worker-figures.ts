import cluster from 'node:cluster';
import { counted, merged, type Snapshot } from './metrics-snapshot.ts';

interface Told {
  readonly kind: 'pinfold:figures';
  readonly snapshot: Snapshot;
}

/** A worker that is killed takes so much of its counts with it, in milliseconds. */
const PAUSE = 1_000;

/** Tells the leader what this worker counts, every second and at the end; the answer ends it, which is waited for. */
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

/** What the workers of a leader told it, those that have ended among them: what they counted until a second ago. */
export function workerFigures(): () => readonly Snapshot[] {
  const latest = new Map<number, Snapshot>();
  let ended: Snapshot = {};
  cluster.on('message', ({ id }, message: unknown) => {
    if (isTold(message)) latest.set(id, message.snapshot);
  });
  // All that it said was heard by then, which its exit does not say.
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
