/** A terminal that is closed sends the last. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Listens for signals from now on, which then no longer end the process; resolves at the first. */
export function signalled(source: Pick<NodeJS.EventEmitter, 'on'> = process): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) source.on(signal, () => resolve());
  });
}

/** Ends this process like an unhandled SIGTERM: nothing runs any more, and no thread is waited for. */
export function endAtOnce(): void {
  process.removeAllListeners('SIGTERM');
  process.kill(process.pid, 'SIGTERM');
}
