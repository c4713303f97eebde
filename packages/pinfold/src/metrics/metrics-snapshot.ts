import cluster from 'node:cluster';

/** How values of several processes are combined: sum, maximum, minimum, or the one farthest from 0. */
export type Merging = 'sum' | 'max' | 'min' | 'farthest';

/** One metric of one process, in a form that can be sent to another process. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly merging: Merging;
  readonly bounds: readonly number[];
  /**
   * By formatted labels: one number, or for a histogram the count of each bucket, the count beyond the last one, and
   * the sum.
   */
  readonly series: Readonly<Record<string, readonly number[]>>;
}

/** The counters and gauges of a process, by name. */
export type MetricsSnapshot = Readonly<Record<string, Family>>;

const MERGE: Readonly<Record<Merging, (one: number, other: number) => number>> = {
  sum: (one, other) => one + other,
  max: Math.max,
  min: Math.min,
  farthest: (one, other) => (Math.abs(other) > Math.abs(one) ? other : one),
};

export function mergeSnapshots(snapshots: readonly MetricsSnapshot[]): MetricsSnapshot {
  const all: Record<string, Family> = {};
  for (const family of snapshots.flatMap((snapshot) => Object.values(snapshot))) {
    const known = all[family.name];
    all[family.name] = known === undefined ? family : addSeries(known, family);
  }
  return all;
}

function addSeries(family: Family, { series }: Family): Family {
  const merge = MERGE[family.merging];
  const all: Record<string, readonly number[]> = { ...family.series };
  for (const [labels, values] of Object.entries(series)) {
    const known = all[labels];
    all[labels] =
      known === undefined ? values : values.map((value, index) => merge(known[index] ?? 0, value));
  }
  return { ...family, series: all };
}

/** Returns the counters of a process that has ended, which must never decrease, without its gauges. */
export function withoutGauges(snapshot: MetricsSnapshot): MetricsSnapshot {
  return Object.fromEntries(Object.entries(snapshot).filter(([, { type }]) => type !== 'gauge'));
}

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
