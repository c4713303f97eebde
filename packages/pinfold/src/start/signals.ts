/** Closing the terminal sends SIGHUP. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Catches these signals from now on, so that they no longer end the process; resolves at the first one. */
export function waitForSignal(source: Pick<NodeJS.EventEmitter, 'on'> = process): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) source.on(signal, () => resolve());
  });
}

/** Ends this process like an unhandled SIGTERM, without waiting for threads. */
export function endAtOnce(): void {
  process.removeAllListeners('SIGTERM');
  process.kill(process.pid, 'SIGTERM');
}
