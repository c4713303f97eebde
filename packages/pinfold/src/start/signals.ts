/** A terminal that is closed sends the last. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Signals within this time count as one: a terminal, npm and a wrapper each send one. */
const SAME_SIGNAL = 1_000;

export interface Signalled {
  /** Resolves at the first signal to stop. */
  readonly first: Promise<void>;
  /** Resolves at the second one. */
  readonly again: Promise<void>;
}

/** Listens for signals from now on, which then no longer end the process. */
export function signalled(
  source: Pick<NodeJS.EventEmitter, 'on'> = process,
  now: () => number = () => performance.now(),
): Signalled {
  const first = Promise.withResolvers<void>();
  const again = Promise.withResolvers<void>();
  let heard: number | undefined;
  const hear = (): void => {
    heard ??= now();
    first.resolve();
    if (now() - heard >= SAME_SIGNAL) again.resolve();
  };
  for (const signal of SIGNALS) source.on(signal, hear);
  return { first: first.promise, again: again.promise };
}

/** Ends this process like an unhandled SIGTERM: nothing runs any more, and no thread is waited for. */
export function endAtOnce(): void {
  process.removeAllListeners('SIGTERM');
  process.kill(process.pid, 'SIGTERM');
}
